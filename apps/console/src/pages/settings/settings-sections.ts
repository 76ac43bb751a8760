import type { NavigationEntry } from '../../app/navigation.ts';

/** The pages below Settings, in this order; each needs one of its scopes. */
export const SETTINGS_SECTIONS: readonly Omit<NavigationEntry, 'icon'>[] = [
  { to: '/settings/keys', label: 'API keys', scopes: ['keys:read'] },
  { to: '/settings/webhooks', label: 'Webhooks', scopes: ['webhooks:read'] },
  { to: '/settings/tools', label: 'Tools', scopes: ['tools:read'] },
  { to: '/settings/mcp-servers', label: 'MCP servers', scopes: ['tools:read'] },
  { to: '/settings/models', label: 'Models', scopes: ['gateway:read'] },
  { to: '/settings/privacy', label: 'Privacy', scopes: ['gateway:read'] },
  { to: '/settings/audit', label: 'Audit log', scopes: ['keys:read'] },
  { to: '/settings/appearance', label: 'Appearance', scopes: [] },
];
