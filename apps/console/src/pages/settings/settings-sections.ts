import type { NavigationEntry } from '../../app/navigation.ts';

/** The pages below Settings, in this order; each needs one of its scopes. */
export const SETTINGS_SECTIONS: readonly Omit<NavigationEntry, 'icon'>[] = [
  { to: '/settings/keys', label: 'API keys', scopes: ['keys:read'] },
  { to: '/settings/mcp-servers', label: 'MCP servers', scopes: ['tools:read'] },
  { to: '/settings/appearance', label: 'Appearance', scopes: [] },
];
