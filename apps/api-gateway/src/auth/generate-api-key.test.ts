import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { generateApiKey, hashSecret, isSecretOf, parseApiKey } from './authenticate.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Returns the CRC32 of a text in six base62 digits, computed independently of the code under test.
 */
const checksumOf = (text: string): string => {
  const value = crc32(text);
  return [5, 4, 3, 2, 1, 0].map((index) => ALPHABET[Math.floor(value / 62 ** index) % 62]).join('');
};

describe('API keys', () => {
  it('consist of prefix, id, secret and CRC32', () => {
    const { text, keyId, secretHash } = generateApiKey();
    expect(text).toMatch(/^sk_live_[0-9A-Za-z]{46}$/);
    expect(text.slice(8, 16)).toBe(keyId);
    expect(text.slice(48)).toBe(checksumOf(text.slice(0, 48)));
    expect(secretHash).toEqual(createHash('sha256').update(text.slice(16, 48)).digest());
  });

  it('are all different', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => generateApiKey().text)).size).toBe(1_000);
  });

  it('are parsed into their parts', () => {
    const { text, keyId } = generateApiKey();
    expect(parseApiKey(text)).toEqual({ keyId, secret: text.slice(16, 48) });
  });

  it('are refused if any character is mistyped', () => {
    const { text } = generateApiKey();
    for (let index = 0; index < text.length; index += 1) {
      const mistypedCharacter = text[index] === 'a' ? 'b' : 'a';
      expect(
        parseApiKey(text.slice(0, index) + mistypedCharacter + text.slice(index + 1)),
      ).toBeUndefined();
    }
  });

  it('are refused if two adjacent characters are swapped', () => {
    const { text } = generateApiKey();
    for (let index = 8; index < text.length - 1; index += 1) {
      const [one, two] = [text[index]!, text[index + 1]!];
      if (one === two) continue;
      const swappedText = text.slice(0, index) + two + one + text.slice(index + 2);
      expect(parseApiKey(swappedText)).toBeUndefined();
    }
  });

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'sk_live_'],
    ["another provider's key", 'sk-proj-0123456789abcdefABCDEF0123456789abcdefABCDEF01'],
    ['a key that is too short', generateApiKey().text.slice(0, -1)],
    ['a key that is too long', `${generateApiKey().text}a`],
    ['a key with a line end', `${generateApiKey().text}\n`],
    ['a key with a space before it', ` ${generateApiKey().text}`],
    ['a megabyte', 'sk_live_'.padEnd(1_000_000, 'a')],
  ])('are refused: %s', (_name, text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  it('match their secret by its hash', () => {
    const { text, secretHash } = generateApiKey();
    const { secret } = parseApiKey(text)!;
    expect(isSecretOf(secret, secretHash)).toBe(true);
    expect(isSecretOf(secret.toLowerCase(), hashSecret('another'))).toBe(false);
  });
});
