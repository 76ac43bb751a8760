import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { authenticate, generateApiKey, hashSecret } from './authenticate.ts';
import type { Headers, Refusal, StoredKey } from './authenticate.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const [ownKey, otherKey] = [generateApiKey(), generateApiKey()];
const FOREIGN_KEY = 'sk-proj-of-some-model-provider';

const stored = (overrides: Partial<StoredKey> = {}): StoredKey => ({
  keyId: 'key_1',
  workspaceId: 'ws_1',
  userId: 'usr_1',
  scopes: ['gateway'],
  secretHash: ownKey.secretHash,
  expiresAt: null,
  revokedAt: null,
  ...overrides,
});

const noSession = (): undefined => undefined;

const reasonOf = async (
  credentials: Headers,
  findKey: (keyId: string) => Promise<StoredKey | undefined>,
): Promise<string> => {
  try {
    const directory = { findKey, findSession: noSession, onRefused: () => {} };
    return (await authenticate(credentials, directory, NOW.getTime())).workspaceId;
  } catch (error) {
    if (isServiceError(error)) return error.fields.code ?? error.reason;
    throw error;
  }
};

const findOwnKey = async (keyId: string): Promise<StoredKey | undefined> =>
  keyId === ownKey.keyId ? stored() : undefined;

describe('authenticate', () => {
  it.each([
    ['x-api-key', { 'x-api-key': ownKey.text }, 'ws_1'],
    ['x-api-key with spaces around it', { 'x-api-key': ` ${ownKey.text} ` }, 'ws_1'],
    ['Authorization', { authorization: `Bearer ${ownKey.text}` }, 'ws_1'],
    ['Authorization in lower case', { authorization: `bearer  ${ownKey.text}` }, 'ws_1'],
    [
      'the same key in both headers',
      { 'x-api-key': ownKey.text, authorization: `Bearer ${ownKey.text}` },
      'ws_1',
    ],
    [
      'our key with a foreign one in the other header',
      { 'x-api-key': FOREIGN_KEY, authorization: `Bearer ${ownKey.text}` },
      'ws_1',
    ],
    [
      'our key in x-api-key with a foreign one in Authorization',
      { 'x-api-key': ownKey.text, authorization: `Bearer ${FOREIGN_KEY}` },
      'ws_1',
    ],
    [
      'two different keys of ours',
      { 'x-api-key': ownKey.text, authorization: `Bearer ${otherKey.text}` },
      'ambiguous_credentials',
    ],
    ['no header', {}, 'UNAUTHENTICATED'],
    ['empty headers', { 'x-api-key': '', authorization: '' }, 'UNAUTHENTICATED'],
    ['a foreign key alone', { 'x-api-key': FOREIGN_KEY }, 'UNAUTHENTICATED'],
    ['an unknown key', { 'x-api-key': otherKey.text }, 'UNAUTHENTICATED'],
    ['another scheme', { authorization: `Basic ${ownKey.text}` }, 'UNAUTHENTICATED'],
    ['a key without a scheme', { authorization: ownKey.text }, 'UNAUTHENTICATED'],
  ])('accepts or refuses %s', async (_name, credentials, expected) => {
    expect(await reasonOf(credentials, findOwnKey)).toBe(expected);
  });

  it.each([
    ['a revoked key', { revokedAt: new Date(NOW.getTime() - 1) }, 'UNAUTHENTICATED'],
    ['a key that expires now', { expiresAt: NOW }, 'UNAUTHENTICATED'],
    ['a key that expires later', { expiresAt: new Date(NOW.getTime() + 1) }, 'ws_1'],
    ['a key with another secret', { secretHash: hashSecret('x') }, 'UNAUTHENTICATED'],
  ])('accepts or refuses %s', async (_name, overrides, expected) => {
    expect(await reasonOf({ 'x-api-key': ownKey.text }, async () => stored(overrides))).toBe(
      expected,
    );
  });

  it('refuses a mistyped key without a database read', async () => {
    const neverCalled = async (): Promise<never> => {
      throw new Error('a mistyped key was read from the database');
    };
    const mistypedKey = ownKey.text.slice(0, -1) + (ownKey.text.endsWith('0') ? '1' : '0');
    for (const text of [mistypedKey, FOREIGN_KEY, '']) {
      expect(await reasonOf({ 'x-api-key': text }, neverCalled)).toBe('UNAUTHENTICATED');
    }
  });

  it('returns one message for every kind of bad key', async () => {
    const messageOf = async (
      apiKey: string | undefined,
      key: StoredKey | undefined,
    ): Promise<string> => {
      const directory = { findKey: () => key, findSession: noSession, onRefused: () => {} };
      try {
        await authenticate({ 'x-api-key': apiKey }, directory, NOW.getTime());
        return 'accepted';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const messages = await Promise.all([
      messageOf(undefined, undefined),
      messageOf('nonsense', undefined),
      messageOf(ownKey.text, undefined),
      messageOf(ownKey.text, stored({ revokedAt: NOW })),
      messageOf(ownKey.text, stored({ expiresAt: NOW })),
      messageOf(ownKey.text, stored({ secretHash: hashSecret('x') })),
    ]);
    expect(new Set(messages).size).toBe(1);
    expect(messages[0]).not.toBe('accepted');
  });

  it.each<[string, string | undefined, StoredKey | undefined]>([
    ['missing', undefined, undefined],
    ['malformed', FOREIGN_KEY, undefined],
    ['unknown', otherKey.text, undefined],
    ['wrong_secret', ownKey.text, stored({ secretHash: hashSecret('x') })],
    ['wrong_secret', ownKey.text, stored({ secretHash: hashSecret('x'), revokedAt: NOW })],
    ['revoked', ownKey.text, stored({ revokedAt: NOW })],
    ['expired', ownKey.text, stored({ expiresAt: NOW })],
  ])('reports the reason to the operator only: %s', async (reason, apiKey, key) => {
    const refusals: Refusal[] = [];
    const onRefused = (refusal: Refusal): void => void refusals.push(refusal);
    const directory = { findKey: async () => key, findSession: noSession, onRefused };
    const call = (async () =>
      await authenticate({ 'x-api-key': apiKey }, directory, NOW.getTime()))();
    await expect(call).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(refusals).toEqual([{ reason, key }]);
  });

  it('needs no promise for a key that is found at once', () => {
    const directory = { findKey: () => stored(), findSession: noSession, onRefused: () => {} };
    const headers = { 'x-api-key': ownKey.text };
    expect(authenticate(headers, directory, NOW.getTime())).toEqual(stored());
  });

  it('reports nothing for a valid key', async () => {
    const refusals: Refusal[] = [];
    const onRefused = (refusal: Refusal): void => void refusals.push(refusal);
    const directory = { findKey: findOwnKey, findSession: noSession, onRefused };
    await authenticate({ 'x-api-key': ownKey.text }, directory, NOW.getTime());
    expect(refusals).toEqual([]);
  });
});
