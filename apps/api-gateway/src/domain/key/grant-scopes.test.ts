import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { toDefaultScopes, verifyGrants, verifyMayRevoke } from './grant-scopes.ts';

const missingOf = (granted: string[], requested: string[]): string | undefined => {
  try {
    verifyGrants(granted, requested);
    return undefined;
  } catch (error) {
    if (isServiceError(error) && error.reason === 'INSUFFICIENT_SCOPE') return error.fields.param;
    throw error;
  }
};

describe('a key that makes another', () => {
  it.each<[string, string[], string[], string | undefined]>([
    ['a scope that it has', ['keys', 'gateway'], ['gateway'], undefined],
    ['the reading half of it', ['keys', 'gateway'], ['gateway:read'], undefined],
    ['any module from *', ['*'], ['gateway', 'ledger:read'], undefined],
    ['* from *', ['*'], ['*'], undefined],
    ['operator from operator', ['keys', 'operator'], ['operator'], undefined],
    ['not more than reading', ['keys', 'gateway:read'], ['gateway'], 'gateway'],
    ['not *', ['keys', 'operator'], ['*'], '*'],
    ['not operator from *', ['*'], ['operator'], 'operator'],
    ['the first that is missing is named', ['keys'], ['keys', 'tools', 'ai'], 'tools'],
  ])('gives %s', (_name, granted, requested, missing) => {
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
  ])('with %j gives %j when nothing was asked for', (granted, expected) => {
    expect(toDefaultScopes(granted)).toEqual(expected);
  });
});

describe('a key that revokes another', () => {
  const act = (granted: string[], scopes: string[], id = 'key_other') => {
    verifyMayRevoke({ keyId: 'key_mine', scopes: granted }, { id, scopes });
  };

  it.each<[string[], string[]]>([
    [['*'], ['*']],
    [['*'], ['gateway']],
    [['keys', 'gateway'], ['gateway:read']],
    [['*', 'operator'], ['operator']],
  ])('with %j may end one with %j', (granted, scopes) => {
    expect(() => act(granted, scopes)).not.toThrow();
  });

  it.each<[string[], string[], string]>([
    [['keys'], ['*'], '*'],
    [['keys', 'gateway:read'], ['gateway'], 'gateway'],
    [['*'], ['*', 'operator'], 'operator'],
  ])('with %j may not end one with %j', (granted, scopes, param) => {
    const refused = { reason: 'INSUFFICIENT_SCOPE', fields: { param } };
    expect(() => act(granted, scopes)).toThrow(expect.objectContaining(refused));
  });

  it('may end itself, whatever it holds', () => {
    expect(() => act(['keys'], ['*', 'operator'], 'key_mine')).not.toThrow();
  });
});
