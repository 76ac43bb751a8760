import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeUint64, hmacSha256, joinBytes, sha256 } from './bytes.ts';

const part = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'binary' }));
const parts = fc.array(part, { maxLength: 4 });
const bytesOf = (given: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat(given.map((one) => Buffer.from(one as string)));

describe('the bytes of a proof', () => {
  it('are joined and hashed like those of node:crypto', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const joined = bytesOf(given);
        expect(joined.equals(joinBytes(given))).toBe(true);
        expect(
          createHash('sha256')
            .update(joined)
            .digest()
            .equals(sha256(...given)),
        ).toBe(true);
      }),
    );
  });

  it('have the HMAC of node:crypto under keys of every length', () => {
    for (let length = 0; length <= 130; length += 1) {
      const key = new Uint8Array(length).fill(length + 1);
      const expected = createHmac('sha256', key).update('witan\n').update(key).digest();
      expect(expected.equals(hmacSha256(key, 'witan\n', key))).toBe(true);
    }
  });

  it('have the HMAC of RFC 4231, test case 2', () => {
    const hmac = hmacSha256(new TextEncoder().encode('Jefe'), 'what do ya want ', 'for nothing?');
    expect(Buffer.from(hmac).toString('hex')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it.each([0, 1, 255, 256, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER])(
    'encode %d in 8 bytes',
    (value) => {
      expect(Buffer.from(encodeUint64(value)).readBigUInt64BE()).toBe(BigInt(value));
    },
  );
});
