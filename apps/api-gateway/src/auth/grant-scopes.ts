import { ServiceError } from '@witan/contracts';
import { grants } from './scope.ts';

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
 * Returns the scopes of a new key whose request names none: `*` if the calling key has `*`,
 * otherwise those of the calling key. `operator` must be requested explicitly.
 */
export const toDefaultScopes = (granted: readonly string[]): string[] =>
  granted.includes('*') ? ['*'] : granted.filter((scope) => scope !== 'operator');
