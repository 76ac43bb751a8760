import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { generateApiKey, hashSecret } from './api-key.ts';
import { authenticate } from './authenticate.ts';
import type { Credentials, Refusal, StoredKey } from './authenticate.ts';

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

const reasonOf = async (
  credentials: Partial<Credentials>,
  findKey: (keyId: string) => Promise<StoredKey | undefined>,
): Promise<string> => {
  try {
    const all = { apiKey: undefined, authorization: undefined, ...credentials };
    const { workspaceId } = await authenticate(all, { findKey, onRefused: () => {}, now: NOW });
    return workspaceId;
  } catch (error) {
    if (isServiceError(error)) return error.fields.code ?? error.reason;
    throw error;
  }
};

const findOwnKey = async (keyId: string): Promise<StoredKey | undefined> =>
  keyId === ownKey.keyId ? stored() : undefined;

describe('authenticate', () => {
  it.each([
    ['x-api-key', { apiKey: ownKey.text }, 'ws_1'],
    ['x-api-key with spaces around it', { apiKey: ` ${ownKey.text} ` }, 'ws_1'],
    ['Authorization', { authorization: `Bearer ${ownKey.text}` }, 'ws_1'],
    ['Authorization in lower case', { authorization: `bearer  ${ownKey.text}` }, 'ws_1'],
    [
      'the same key in both headers',
      { apiKey: ownKey.text, authorization: `Bearer ${ownKey.text}` },
      'ws_1',
    ],
    [
      'our key with a foreign one in the other header',
      { apiKey: FOREIGN_KEY, authorization: `Bearer ${ownKey.text}` },
      'ws_1',
    ],
    [
      'our key in x-api-key with a foreign one in Authorization',
      { apiKey: ownKey.text, authorization: `Bearer ${FOREIGN_KEY}` },
      'ws_1',
    ],
    [
      'two different keys of ours',
      { apiKey: ownKey.text, authorization: `Bearer ${otherKey.text}` },
      'ambiguous_credentials',
    ],
    ['no header', {}, 'UNAUTHENTICATED'],
    ['empty headers', { apiKey: '', authorization: '' }, 'UNAUTHENTICATED'],
    ['a foreign key alone', { apiKey: FOREIGN_KEY }, 'UNAUTHENTICATED'],
    ['an unknown key', { apiKey: otherKey.text }, 'UNAUTHENTICATED'],
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
    expect(await reasonOf({ apiKey: ownKey.text }, async () => stored(overrides))).toBe(expected);
  });

  it('refuses a mistyped key without a database read', async () => {
    const neverCalled = async (): Promise<never> => {
      throw new Error('a mistyped key was read from the database');
    };
    const mistypedKey = ownKey.text.slice(0, -1) + (ownKey.text.endsWith('0') ? '1' : '0');
    for (const text of [mistypedKey, FOREIGN_KEY, '']) {
      expect(await reasonOf({ apiKey: text }, neverCalled)).toBe('UNAUTHENTICATED');
    }
  });

  it('returns one message for every kind of bad key', async () => {
    const messageOf = async (
      apiKey: string | undefined,
      key: StoredKey | undefined,
    ): Promise<string> => {
      const check = { findKey: async () => key, onRefused: () => {}, now: NOW };
      const call = authenticate({ apiKey, authorization: undefined }, check);
      return await call.then(
        () => 'accepted',
        (error: Error) => error.message,
      );
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
    const check = { findKey: async () => key, onRefused, now: NOW };
    const call = authenticate({ apiKey, authorization: undefined }, check);
    await expect(call).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect(refusals).toEqual([{ reason, key }]);
  });

  it('reports nothing for a valid key', async () => {
    const refusals: Refusal[] = [];
    const onRefused = (refusal: Refusal): void => void refusals.push(refusal);
    const check = { findKey: findOwnKey, onRefused, now: NOW };
    await authenticate({ apiKey: ownKey.text, authorization: undefined }, check);
    expect(refusals).toEqual([]);
  });
});
