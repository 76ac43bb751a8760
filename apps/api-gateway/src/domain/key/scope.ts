export const MODULES = [
  'agents',
  'conversations',
  'ai',
  'sim-engine',
  'market-analysis',
  'gateway',
  'tools',
  'webhooks',
  'knowledge',
  'ledger',
  'keys',
] as const;

export type Module = (typeof MODULES)[number];

export type NeededScope = Module | `${Module}:read` | 'operator';

export const grantsAny = (granted: readonly string[], needed: readonly NeededScope[]): boolean =>
  needed.some((scope) => grants(granted, scope));

/**
 * Returns whether the scopes include `needed`; only `*` grants `*`, only `operator` grants
 * `operator`.
 */
export const grants = (granted: readonly string[], needed: string): boolean => {
  if (granted.includes(needed)) return true;
  if (needed === 'operator') return false;
  return granted.includes('*') || granted.includes(needed.replace(/:read$/, ''));
};

export const SCOPES: readonly string[] = [
  '*',
  'operator',
  ...MODULES.flatMap((module) => [module, `${module}:read`]),
];

export const isScope = (text: string): boolean => SCOPES.includes(text);
