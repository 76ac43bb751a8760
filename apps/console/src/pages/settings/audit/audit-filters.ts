import { readDayRange } from '../../../ui/day.ts';
import type { AuditFilters } from './audit-query.ts';

const TEXTS = ['action', 'actor', 'target'] as const;

/** Reads the filters from an address; ignores other parameters. */
export const readAuditFilters = (search: Record<string, unknown>): AuditFilters => {
  const texts = TEXTS.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return {
    ...Object.fromEntries(texts),
    ...readDayRange(search),
  };
};

/** What is recorded, with the words for it. Other actions are shown as they are named. */
export const ACTIONS = [
  { value: 'key.created', label: 'Key created' },
  { value: 'key.rotated', label: 'Key rotated' },
  { value: 'key.revoked', label: 'Key revoked' },
  { value: 'key.refused', label: 'Key refused' },
  { value: 'console_session.created', label: 'Signed in to the console' },
  { value: 'console_session.ended', label: 'Signed out of the console' },
  { value: 'console_link.created', label: 'Sign-in link created' },
  { value: 'provider.changed', label: 'Provider changed' },
  { value: 'provider.removed', label: 'Provider removed' },
  { value: 'webhook.created', label: 'Webhook created' },
  { value: 'webhook.rotated', label: 'Webhook secret rotated' },
  { value: 'webhook.deleted', label: 'Webhook deleted' },
  { value: 'tool.created', label: 'Tool registered' },
  { value: 'tool.rotated', label: 'Tool secret rotated' },
  { value: 'tool.deleted', label: 'Tool deleted' },
  { value: 'mcp_server.created', label: 'MCP server added' },
  { value: 'mcp_server.accepted', label: 'Tools of an MCP server accepted' },
  { value: 'mcp_server.deleted', label: 'MCP server deleted' },
] as const;

export const describeAction = (action: string): string =>
  ACTIONS.find(({ value }) => value === action)?.label ?? action;
