import { ServiceError } from '@witan/contracts';
import { grants } from './scope.ts';

/**
 * Throws INSUFFICIENT_SCOPE, naming the first scope of `wanted` that `held` does not grant: a key
 * gives away only what it has. `*` comes from `*` alone, `operator` from `operator` alone.
 */
export const verifyGrants = (granted: readonly string[], wanted: readonly string[]): void => {
  const missing = wanted.find((scope) => !grants(granted, scope));
  if (missing === undefined) return;
  const message = `This key lacks the scope ${missing}, so it cannot give it to another.`;
  throw new ServiceError('INSUFFICIENT_SCOPE', message, { fields: { param: missing } });
};

/**
 * Throws INSUFFICIENT_SCOPE, naming the scope, when the key that is to end has one that the calling
 * key lacks: else a key that manages keys could lock their owner out. A key may end itself.
 */
export const verifyMayRevoke = (
  caller: { keyId: string; scopes: readonly string[] },
  key: { id: string; scopes: readonly string[] },
): void => {
  const missing = key.scopes.find((scope) => !grants(caller.scopes, scope));
  if (missing === undefined || caller.keyId === key.id) return;
  const message = `This key lacks the scope ${missing}, so it cannot revoke a key that has it.`;
  throw new ServiceError('INSUFFICIENT_SCOPE', message, { fields: { param: missing } });
};

/**
 * The scopes of a new key for which none were asked: `*` from a key that has it, else those of the
 * key that makes it. `operator` is given only by name.
 */
export const toDefaultScopes = (granted: readonly string[]): string[] =>
  granted.includes('*') ? ['*'] : granted.filter((scope) => scope !== 'operator');
