import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isResponsesSignature,
  readEncryptedContent,
  readResponsesSignature,
  toEncryptedContent,
  toResponsesSignature,
} from './provider-signature.ts';

describe('a signature that crosses dialects', () => {
  it('returns as it was', () => {
    const itemId = fc.stringMatching(/^rs_[0-9a-z]{0,20}$/);
    fc.assert(
      fc.property(itemId, fc.string(), (id, text) => {
        const signature = toResponsesSignature(id, text);
        expect(isResponsesSignature(signature)).toBe(true);
        expect(readResponsesSignature(signature)).toEqual({ itemId: id, encryptedContent: text });
        for (const signed of [{ signature: text }, { redacted: text }]) {
          expect(readEncryptedContent(toEncryptedContent(signed))).toEqual(signed);
        }
      }),
    );
  });

  it('is not read as that of another dialect', () => {
    expect(readResponsesSignature('EqQBCgIYAhIM0x5')).toBeUndefined();
    expect(readResponsesSignature(toEncryptedContent({ signature: 'a' }))).toBeUndefined();
    expect(readEncryptedContent('gAAAAAB')).toBeUndefined();
    expect(readEncryptedContent(toResponsesSignature('rs_1', 'a'))).toBeUndefined();
  });
});
