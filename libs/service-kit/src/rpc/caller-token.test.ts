import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { createTokenIssuer, createTokenVerifier } from './caller-token.ts';

const createService = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return { token: createTokenIssuer({ caller: 'a', audience: 'b', privateKey })(), pem };
};

const isTaken = (verify: () => string): boolean => {
  try {
    return verify() === 'a';
  } catch (error) {
    if (isServiceError(error) && error.reason === 'CALLER_REFUSED') return false;
    throw error;
  }
};

describe('the key of a service', () => {
  it('is changed without a refused call: both are known until the old one has gone', () => {
    const old = createService();
    const fresh = createService();
    const verifyBy = (pem: string) =>
      createTokenVerifier({ audience: 'b', publicKeys: { a: pem } });
    const known = [
      ['before', verifyBy(old.pem), [true, false]],
      ['meanwhile', verifyBy(`${old.pem}${fresh.pem}`), [true, true]],
      ['meanwhile, without line ends', verifyBy(`${fresh.pem}\n${old.pem}`.trim()), [true, true]],
      ['afterwards', verifyBy(fresh.pem), [false, true]],
    ] as const;
    for (const [when, verify, expected] of known) {
      const taken = [old, fresh].map(({ token }) => isTaken(() => verify(token)));
      expect([when, taken]).toEqual([when, expected]);
    }
  });
});
