import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { countTurns } from '@witan/testing';
import { createSecretCipher } from './secret-cipher.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const secretCipher = createSecretCipher(newKey());
const CONTEXT = 'provider_credential/cred_1';

describe('createSecretCipher', () => {
  it.each(['', 'sk-secret', 'Grüße 😀\u0000', 'x'.repeat(100_000)])(
    'decrypts a secret that it encrypted',
    (text) => {
      const encrypted = secretCipher.encrypt(text, CONTEXT);
      expect(secretCipher.decrypt(encrypted, CONTEXT)).toBe(text);
      expect(encrypted).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
    },
  );

  it.each(['', 'Grüße 😀', 'x'.repeat(786_433), '😀'.repeat(600_000)])(
    'encrypts and decrypts the same in steps (%#)',
    async (text) => {
      const encrypted = await secretCipher.encryptInSteps(text, CONTEXT);
      expect(secretCipher.decrypt(encrypted, CONTEXT)).toBe(text);
      expect(await secretCipher.decryptInSteps(encrypted, CONTEXT)).toBe(text);
      const inOne = secretCipher.encrypt(text, CONTEXT);
      expect(await secretCipher.decryptInSteps(inOne, CONTEXT)).toBe(text);
      expect(inOne).toHaveLength(encrypted.length);
    },
  );

  it('lets other work run between the steps of a long text', async () => {
    const text = 'x'.repeat(8 * 786_432);
    const encrypting = await countTurns(secretCipher.encryptInSteps(text, CONTEXT));
    const decrypting = await countTurns(secretCipher.decryptInSteps(encrypting.result, CONTEXT));
    expect(encrypting.turns).toBeGreaterThanOrEqual(14);
    expect(decrypting.turns).toBeGreaterThanOrEqual(14);
  });

  it('decrypts in steps with each of its keys, and nothing that was changed', async () => {
    const [olderKey, newerKey] = [newKey(), newKey()];
    const encrypted = await createSecretCipher(olderKey).encryptInSteps('secret', CONTEXT);
    const both = createSecretCipher(`${newerKey},${olderKey}`);
    expect(await both.decryptInSteps(encrypted, CONTEXT)).toBe('secret');
    const changed = encrypted.slice(0, -2) + (encrypted.endsWith('AA') ? 'BB' : 'AA');
    await expect(both.decryptInSteps(changed, CONTEXT)).rejects.toThrow('authenticate');
    await expect(both.decryptInSteps(encrypted, 'other')).rejects.toThrow('authenticate');
    await expect(both.decryptInSteps('v2.AAAA', CONTEXT)).rejects.toThrow('not supported');
  });

  it('encrypts the same text to a different result each time', () => {
    const encrypted = Array.from({ length: 100 }, () => secretCipher.encrypt('secret', CONTEXT));
    expect(new Set(encrypted).size).toBe(100);
  });

  it('does not decrypt with another context', () => {
    const encrypted = secretCipher.encrypt('secret', CONTEXT);
    expect(() => secretCipher.decrypt(encrypted, 'provider_credential/cred_2')).toThrow(
      'authenticate',
    );
    expect(() => secretCipher.decrypt(encrypted, '')).toThrow('authenticate');
  });

  it('does not decrypt with another key', () => {
    const encrypted = secretCipher.encrypt('secret', CONTEXT);
    expect(() => createSecretCipher(newKey()).decrypt(encrypted, CONTEXT)).toThrow('authenticate');
  });

  it('decrypts with each of its keys and encrypts with the first', () => {
    const [olderKey, newerKey] = [newKey(), newKey()];
    const encrypted = createSecretCipher(olderKey).encrypt('secret', CONTEXT);
    for (const keys of [`${olderKey},${newerKey}`, `${newerKey},${olderKey}`]) {
      expect(createSecretCipher(keys).decrypt(encrypted, CONTEXT)).toBe('secret');
    }
    const freshSecret = createSecretCipher(`${newerKey},${olderKey}`).encrypt('secret', CONTEXT);
    expect(createSecretCipher(newerKey).decrypt(freshSecret, CONTEXT)).toBe('secret');
    expect(() => createSecretCipher(olderKey).decrypt(freshSecret, CONTEXT)).toThrow(
      'authenticate',
    );
  });

  it('reencrypts only secrets that an older key encrypted', () => {
    const [olderKey, newerKey] = [newKey(), newKey()];
    const cipherOfBoth = createSecretCipher(`${newerKey},${olderKey}`);
    const changed = cipherOfBoth.reencrypt(
      createSecretCipher(olderKey).encrypt('secret', CONTEXT),
      CONTEXT,
    )!;
    expect(createSecretCipher(newerKey).decrypt(changed, CONTEXT)).toBe('secret');
    expect(cipherOfBoth.reencrypt(changed, CONTEXT)).toBeUndefined();
    expect(() => cipherOfBoth.reencrypt(secretCipher.encrypt('secret', CONTEXT), CONTEXT)).toThrow(
      'authenticate',
    );
    const inOtherContext = createSecretCipher(olderKey).encrypt(
      'secret',
      'provider_credential/cred_2',
    );
    expect(() => cipherOfBoth.reencrypt(inOtherContext, CONTEXT)).toThrow('authenticate');
  });

  it('detects every changed bit', () => {
    const encrypted = secretCipher.encrypt('secret', CONTEXT);
    const bytes = Buffer.from(encrypted.slice(3), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7));
      expect(() => secretCipher.decrypt(`v1.${changed.toString('base64url')}`, CONTEXT)).toThrow(
        'authenticate',
      );
    }
  });

  it.each([
    ['another version', (encrypted: string) => encrypted.replace('v1.', 'v2.')],
    ['no version', (encrypted: string) => encrypted.slice(3)],
    ['nothing after the version', () => 'v1.'],
    ['less than nonce and tag', () => 'v1.AAAA'],
    ['a truncated text', (encrypted: string) => encrypted.slice(0, -4)],
    ['nothing', () => ''],
  ])('rejects %s', (_name, change) => {
    expect(() =>
      secretCipher.decrypt(change(secretCipher.encrypt('secret', CONTEXT)), CONTEXT),
    ).toThrow(/authenticate|not supported/);
  });

  it.each(['', 'short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64')])(
    'rejects a key that is not 32 bytes long',
    (key) => {
      expect(() => createSecretCipher(key)).toThrow('32 bytes');
    },
  );
});
