import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
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

describe('a clock that is set', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const HOUR_MS = 3_600_000;
  const realNow = Date.now;
  const setClock = (aheadMs: number): void => {
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
  };
  const open = () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const createVerifier = () => createTokenVerifier({ audience: 'b', publicKeys: { a: pem } });
    const issue = createTokenIssuer({ caller: 'a', audience: 'b', privateKey });
    return { issue, createVerifier };
  };

  it('back cuts no caller off from a service that was restarted', () => {
    const { issue, createVerifier } = open();
    const running = createVerifier();
    expect(isAccepted(() => running(issue()))).toBe(true);
    setClock(-HOUR_MS);
    for (const verify of [running, createVerifier()]) {
      expect(isAccepted(() => verify(issue()))).toBe(true);
    }
  });

  it('back does not prolong a token', () => {
    const { issue, createVerifier } = open();
    const verify = createVerifier();
    const token = issue();
    expect(isAccepted(() => verify(token))).toBe(true);
    setClock(-HOUR_MS);
    const later = performance.now() + HOUR_MS / 2;
    jest.spyOn(performance, 'now').mockImplementation(() => later);
    expect(isAccepted(() => verify(token))).toBe(false);
  });

  it('ahead renews the token', () => {
    const { issue, createVerifier } = open();
    const token = issue();
    setClock(HOUR_MS);
    expect(isAccepted(() => createVerifier()(token))).toBe(false);
    expect(isAccepted(() => createVerifier()(issue()))).toBe(true);
  });
});
