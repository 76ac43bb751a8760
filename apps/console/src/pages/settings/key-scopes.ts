import type { Scope } from './keys-query.ts';

export type Access = 'none' | 'read' | 'all';

/** The modules of the API, with what a key with their scope may do. */
export const MODULES = [
  { id: 'gateway', label: 'Gateway', purpose: 'Call models; read calls and certificates' },
  { id: 'agents', label: 'Agents', purpose: 'Agents, their memories and chats' },
  { id: 'conversations', label: 'Council', purpose: 'Conversations and debates' },
  { id: 'ai', label: 'Completion layer', purpose: '/v1/ai/complete and extracted data' },
  { id: 'sim-engine', label: 'Simulations', purpose: 'Simulations and forecasts' },
  { id: 'market-analysis', label: 'Market analyses', purpose: 'Run and read analyses' },
  { id: 'knowledge', label: 'Knowledge', purpose: 'Documents and passages' },
  { id: 'tools', label: 'Tools', purpose: 'Tools of the agents' },
  { id: 'webhooks', label: 'Webhooks', purpose: 'Webhooks and deliveries' },
  { id: 'ledger', label: 'Ledger', purpose: 'Balance, entries and usage' },
  { id: 'keys', label: 'API keys', purpose: 'Keys, sessions and workspace settings' },
] as const satisfies readonly { id: Scope; label: string; purpose: string }[];

export type Module = (typeof MODULES)[number]['id'];

export type Grants = Readonly<Partial<Record<Module, Access>>>;

/** Returns the scopes of a key; `everything` is `*`, which includes modules added later. */
export const toScopes = (grants: Grants | 'everything'): Scope[] =>
  grants === 'everything'
    ? ['*']
    : MODULES.flatMap(({ id }): Scope[] => {
        const access = grants[id] ?? 'none';
        if (access === 'none') return [];
        return [access === 'all' ? id : `${id}:read`];
      });

/** Returns a short text for the scopes of a key. */
export const describeScopes = (scopes: readonly string[]): string => {
  const names = scopes.map((scope) => {
    if (scope === '*') return 'Everything';
    if (scope === 'operator') return 'Operator';
    const [module, suffix] = scope.split(':');
    const label = MODULES.find(({ id }) => id === module)?.label ?? scope;
    return suffix === 'read' ? `${label} (read)` : label;
  });
  return names.join(', ');
};
