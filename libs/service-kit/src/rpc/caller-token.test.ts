import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { createTokenIssuer, createTokenVerifier } from './caller-token.ts';

const createService = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return { token: createTokenIssuer({ caller: 'a', audience: 'b', privateKey })(), pem };
};

const isAccepted = (verify: () => string): boolean => {
  try {
    return verify() === 'a';
  } catch (error) {
    if (isServiceError(error) && error.reason === 'CALLER_REFUSED') return false;
    throw error;
  }
};

describe('caller keys', () => {
  it('can be rotated: both keys are accepted while both are configured', () => {
    const old = createService();
    const fresh = createService();
    const verifyBy = (pem: string) =>
      createTokenVerifier({ audience: 'b', publicKeys: { a: pem } });
    const verifiers = [
      ['only the old key', verifyBy(old.pem), [true, false]],
      ['both keys', verifyBy(`${old.pem}${fresh.pem}`), [true, true]],
      [
        'both keys without a final newline',
        verifyBy(`${fresh.pem}\n${old.pem}`.trim()),
        [true, true],
      ],
      ['only the new key', verifyBy(fresh.pem), [false, true]],
    ] as const;
    for (const [when, verify, expected] of verifiers) {
      const accepted = [old, fresh].map(({ token }) => isAccepted(() => verify(token)));
      expect([when, accepted]).toEqual([when, expected]);
    }
  });
});
