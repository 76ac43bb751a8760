import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { toDefaultScopes, verifyGrants } from './grant-scopes.ts';

const missingOf = (held: string[], wanted: string[]): string | undefined => {
  try {
    verifyGrants(held, wanted);
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
  ])('gives %s', (_name, held, wanted, missing) => {
    expect(missingOf(held, wanted)).toBe(missing);
  });

  it.each<[string[], string[]]>([
    [['*'], ['*']],
    [['*', 'operator'], ['*']],
    [
      ['keys', 'gateway'],
      ['keys', 'gateway'],
    ],
    [['keys', 'operator'], ['keys']],
  ])('with %j gives %j when nothing was asked for', (held, expected) => {
    expect(toDefaultScopes(held)).toEqual(expected);
  });
});
