import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { toDefaultScopes, verifyGrants, verifyRevocable } from './scope.ts';

const missingOf = (granted: string[], requested: string[]): string | undefined => {
  try {
    verifyGrants(granted, requested);
    return undefined;
  } catch (error) {
    if (isServiceError(error) && error.reason === 'INSUFFICIENT_SCOPE') return error.fields.param;
    throw error;
  }
};

describe('a key that creates another', () => {
  it.each<[string, string[], string[], string | undefined]>([
    ['a scope that the key has', ['keys', 'gateway'], ['gateway'], undefined],
    ['the read scope of a module', ['keys', 'gateway'], ['gateway:read'], undefined],
    ['any module from *', ['*'], ['gateway', 'ledger:read'], undefined],
    ['* from *', ['*'], ['*'], undefined],
    ['operator from operator', ['keys', 'operator'], ['operator'], undefined],
    ['no write scope with a read scope', ['keys', 'gateway:read'], ['gateway'], 'gateway'],
    ['no * without *', ['keys', 'operator'], ['*'], '*'],
    ['no operator scope with *', ['*'], ['operator'], 'operator'],
    ['no missing scope, and names the first one', ['keys'], ['keys', 'tools', 'ai'], 'tools'],
  ])('grants %s', (_name, granted, requested, missing) => {
    expect(missingOf(granted, requested)).toBe(missing);
  });

  it.each<[string[], string[]]>([
    [['*'], ['*']],
    [['*', 'operator'], ['*']],
    [
      ['keys', 'gateway'],
      ['keys', 'gateway'],
    ],
    [['keys', 'operator'], ['keys']],
  ])('with %j grants %j by default', (granted, expected) => {
    expect(toDefaultScopes(granted)).toEqual(expected);
  });
});

describe('a key that revokes another', () => {
  const act = (granted: string[], scopes: string[], id = 'key_other') => {
    verifyRevocable({ keyId: 'key_mine', scopes: granted }, { id, scopes });
  };

  it.each<[string[], string[]]>([
    [['*'], ['*']],
    [['*'], ['gateway']],
    [['keys', 'gateway'], ['gateway:read']],
    [['*', 'operator'], ['operator']],
  ])('with %j may revoke one with %j', (granted, scopes) => {
    expect(() => act(granted, scopes)).not.toThrow();
  });

  it.each<[string[], string[], string]>([
    [['keys'], ['*'], '*'],
    [['keys', 'gateway:read'], ['gateway'], 'gateway'],
    [['*'], ['*', 'operator'], 'operator'],
  ])('with %j may not revoke one with %j', (granted, scopes, param) => {
    const scopeError = { reason: 'INSUFFICIENT_SCOPE', fields: { param } };
    expect(() => act(granted, scopes)).toThrow(expect.objectContaining(scopeError));
  });

  it('may revoke itself with any scopes', () => {
    expect(() => act(['keys'], ['*', 'operator'], 'key_mine')).not.toThrow();
  });
});
