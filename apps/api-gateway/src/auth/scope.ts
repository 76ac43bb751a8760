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

export type RequiredScope = Module | `${Module}:read` | 'operator';

export const grantsAny = (
  granted: readonly string[],
  required: readonly RequiredScope[],
): boolean => required.some((scope) => grants(granted, scope));

/**
 * Returns whether the scopes of a key (`granted`) include a required scope. `x` includes `x:read`,
 * and `*` includes all scopes except `operator`.
 */
export const grants = (granted: readonly string[], required: string): boolean => {
  if (granted.includes(required)) return true;
  if (required === 'operator') return false;
  return granted.includes('*') || granted.includes(required.replace(/:read$/, ''));
};

export const SCOPES: readonly string[] = [
  '*',
  'operator',
  ...MODULES.flatMap((module) => [module, `${module}:read`]),
];

export const isScope = (text: string): boolean => SCOPES.includes(text);
