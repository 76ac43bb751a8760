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
    const oldService = createService();
    const newService = createService();
    const verifyBy = (pem: string) =>
      createTokenVerifier({ audience: 'b', publicKeys: { a: pem } });
    const verifiers = [
      ['only the old key', verifyBy(oldService.pem), [true, false]],
      ['both keys', verifyBy(`${oldService.pem}${newService.pem}`), [true, true]],
      [
        'both keys without a final newline',
        verifyBy(`${newService.pem}\n${oldService.pem}`.trim()),
        [true, true],
      ],
      ['only the new key', verifyBy(newService.pem), [false, true]],
    ] as const;
    for (const [when, verify, expected] of verifiers) {
      const accepted = [oldService, newService].map(({ token }) => isAccepted(() => verify(token)));
      expect([when, accepted]).toEqual([when, expected]);
    }
  });
});
