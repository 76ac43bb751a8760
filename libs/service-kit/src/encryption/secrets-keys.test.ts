import { describe, expect, it } from '@jest/globals';
import { readEnv } from '../config/read-env.ts';
import { readSecretsKey, splitSecretsKeys } from './secret-cipher.ts';

const [A, B] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];

const read = (value?: string): string =>
  readEnv('a service', { WITAN_SECRETS_KEY: value }, (reader) => ({ keys: readSecretsKey(reader) }))
    .keys;

describe('WITAN_SECRETS_KEY', () => {
  it.each([
    [A, [A]],
    [`${A},${B}`, [A, B]],
    [` ${B} , ${A} `, [B, A]],
  ])('accepts one or several keys: %s', (value, keys) => {
    expect(splitSecretsKeys(read(value)).map((key) => key.toString('base64'))).toEqual(keys);
  });

  it.each([
    [undefined, /WITAN_SECRETS_KEY/],
    ['', /WITAN_SECRETS_KEY/],
    ['short', /32 bytes in base64/],
    [`${A},short`, /32 bytes in base64/],
  ])('is rejected if it is %s', (value, message) => {
    expect(() => read(value)).toThrow(message);
  });

  it('does not split into keys of another length', () => {
    expect(() => splitSecretsKeys(`${A},`)).toThrow('32 bytes');
  });
});
