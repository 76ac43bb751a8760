/** The API's modules; a key holds some of them, each also as `<module>:read`. */
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

/** What a route asks of a key. `operator` is outside `*`. */
export type NeededScope = Module | `${Module}:read` | 'operator';

/** True when the key's scopes grant one of the needed ones. */
export const grantsAny = (granted: readonly string[], needed: readonly NeededScope[]): boolean =>
  needed.some((scope) => grants(granted, scope));

/** True when the key's scopes grant this one; only `*` grants `*`, only `operator` itself. */
export const grants = (granted: readonly string[], needed: string): boolean => {
  if (granted.includes(needed)) return true;
  if (needed === 'operator') return false;
  return granted.includes('*') || granted.includes(needed.replace(/:read$/, ''));
};

/** Every scope that a key may hold: `*`, `operator`, each module, each module's `:read`. */
export const SCOPES: readonly string[] = [
  '*',
  'operator',
  ...MODULES.flatMap((module) => [module, `${module}:read`]),
];

/** True for a scope that a key may hold. */
export const isScope = (text: string): boolean => SCOPES.includes(text);
