import type { LinkProps } from '@tanstack/react-router';
import type { IconName } from '../ui/icon.tsx';

export type NavigationEntry = {
  to: NonNullable<LinkProps['to']>;
  label: string;
  icon: IconName;
  /** The entry is shown to keys with one of these scopes. */
  scopes: readonly string[];
};

/** The entries of the navigation, in this order. Each page adds one; none has no page. */
export const NAVIGATION: readonly NavigationEntry[] = [
  {
    to: '/council',
    label: 'Council',
    icon: 'council',
    scopes: ['conversations:read'],
  },
  { to: '/agents', label: 'Agents', icon: 'agents', scopes: ['agents:read'] },
  {
    to: '/simulations',
    label: 'Simulations',
    icon: 'simulations',
    scopes: ['sim-engine', 'sim-engine:read'],
  },
  {
    to: '/market',
    label: 'Market analyses',
    icon: 'market',
    scopes: ['market-analysis:read'],
  },
  {
    to: '/calls',
    label: 'Calls',
    icon: 'calls',
    scopes: ['gateway:read', 'ledger:read'],
  },
  {
    to: '/playground',
    label: 'Playground',
    icon: 'playground',
    scopes: ['gateway'],
  },
  {
    to: '/usage',
    label: 'Usage',
    icon: 'usage',
    scopes: ['ledger:read'],
  },
  { to: '/settings', label: 'Settings', icon: 'settings', scopes: [] },
];
