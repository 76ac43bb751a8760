import { create } from '@bufbuild/protobuf';
import { AddressSchema, invalidRequest, ServiceError } from '@witan/contracts';
import type { Address } from '@witan/contracts';
import { readModelAddress } from '@witan/dialects';
import type { Principal } from './authenticate.ts';

const MODULES = [
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

/** Returns whether a key has one of the required scopes; an empty list requires none. */
export const grantsAny = (
  granted: readonly string[],
  required: readonly RequiredScope[],
): boolean => required.length === 0 || required.some((scope) => grants(granted, scope));

/** Throws INSUFFICIENT_SCOPE, naming the first, if a key has none of the required scopes. */
export const verifyScope = (
  { scopes }: { scopes: readonly string[] },
  required: readonly RequiredScope[],
): void => {
  if (grantsAny(scopes, required)) return;
  throw new ServiceError('INSUFFICIENT_SCOPE', `This key lacks the scope ${required[0]}.`, {
    fields: { param: required[0]! },
  });
};

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

/**
 * Throws INSUFFICIENT_SCOPE, naming the first requested API-key scope that `granted` does not
 * include. Only `*` grants `*`, only `operator` grants `operator`.
 */
export const verifyGrants = (granted: readonly string[], requested: readonly string[]): void => {
  const missing = requested.find((scope) => !grants(granted, scope));
  if (missing === undefined) return;
  const message = `This key lacks the scope ${missing}, so it cannot give it to another.`;
  throw new ServiceError('INSUFFICIENT_SCOPE', message, { fields: { param: missing } });
};

/**
 * Throws INSUFFICIENT_SCOPE, naming the scope, if the key to revoke has a scope that the calling
 * key lacks: otherwise a key with only the scope `keys` could lock out the workspace's owner. A key
 * may always revoke itself.
 */
export const verifyRevocable = (
  caller: { keyId: string; scopes: readonly string[] },
  key: { id: string; scopes: readonly string[] },
): void => {
  const missing = key.scopes.find((scope) => !grants(caller.scopes, scope));
  if (missing === undefined || caller.keyId === key.id) return;
  const message = `This key lacks the scope ${missing}, so it cannot revoke a key that has it.`;
  throw new ServiceError('INSUFFICIENT_SCOPE', message, { fields: { param: missing } });
};

/**
 * Throws INSUFFICIENT_SCOPE with the code `session_not_allowed` for a caller with the cookie of a
 * console session, which ends after 12 hours: what the caller is about to make would outlive it.
 */
export const verifyNoSession = ({ session }: Pick<Principal, 'session'>, message: string): void => {
  if (!session) return;
  throw new ServiceError('INSUFFICIENT_SCOPE', message, {
    fields: { code: 'session_not_allowed' },
  });
};

/**
 * Returns the scopes of a new key whose request names none: `*` if the calling key has `*`,
 * otherwise those of the calling key. `operator` must be requested explicitly.
 */
export const toDefaultScopes = (granted: readonly string[]): string[] =>
  granted.includes('*') ? ['*'] : granted.filter((scope) => scope !== 'operator');

/**
 * Parses the `model` field of a request. Throws NOT_IMPLEMENTED for a `debate:` address, and
 * INVALID_REQUEST for a malformed address (see `readModelAddress`) or a model name that a
 * certificate cannot contain.
 */
export const parseModelAddress = (requested: string): Address => {
  if (!requested.isWellFormed() || /\p{Cc}/u.test(requested)) {
    const message = 'model must be well-formed Unicode without control characters.';
    throw invalidRequest(message, { param: 'model' });
  }
  const { kind, name, ...flags } = readModelAddress(requested);
  if (kind === 'debate') {
    throw new ServiceError(
      'NOT_IMPLEMENTED',
      'debate: addresses are reserved; use POST /v1/conversations to run a debate.',
      { fields: { param: 'model' } },
    );
  }
  const named = kind === 'model' ? { model: name } : kind === 'agent' ? { agent: name } : {};
  return create(AddressSchema, { requested, kind, ...named, ...flags });
};

/** A module whose scope, or `:read` scope, a call or its stored response needs beside `gateway`. */
export type NeededModule = 'agents' | 'knowledge';

/** Returns the modules whose scopes a model address needs in addition to `gateway`. */
export const modulesOfAddress = ({
  kind,
  knowledge,
}: Pick<Address, 'kind' | 'knowledge'>): NeededModule[] => [
  ...(kind === 'agent' ? (['agents'] as const) : []),
  ...(knowledge ? (['knowledge'] as const) : []),
];

/**
 * Throws INSUFFICIENT_SCOPE, naming the module, if the API key has neither a module's scope nor its
 * `:read` scope.
 */
export const verifyModules = (
  modules: readonly NeededModule[],
  granted: readonly string[],
): void => {
  for (const module of modules) {
    const required: RequiredScope[] = [module, `${module}:read`];
    if (grantsAny(granted, required)) continue;
    const feature = FEATURES[module];
    const message = `This key lacks the scope ${module}. ${feature} needs it beside gateway.`;
    throw new ServiceError('INSUFFICIENT_SCOPE', message, { fields: { param: module } });
  }
};

const FEATURES: Readonly<Record<NeededModule, string>> = {
  agents: 'What an agent answers',
  knowledge: 'What +knowledge answers',
};
