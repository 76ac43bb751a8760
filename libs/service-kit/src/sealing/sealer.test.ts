import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSealer } from './sealer.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const sealer = createSealer(newKey());
const CONTEXT = 'provider_credential/cred_1';

describe('the sealer', () => {
  it.each(['', 'sk-secret', 'Grüße 😀\u0000', 'x'.repeat(100_000)])(
    'opens what it sealed',
    (text) => {
      const sealed = sealer.seal(text, CONTEXT);
      expect(sealer.open(sealed, CONTEXT)).toBe(text);
      expect(sealed).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
    },
  );

  it('never seals the same to the same', () => {
    const sealed = Array.from({ length: 100 }, () => sealer.seal('secret', CONTEXT));
    expect(new Set(sealed).size).toBe(100);
  });

  it('does not open for another context', () => {
    const sealed = sealer.seal('secret', CONTEXT);
    expect(() => sealer.open(sealed, 'provider_credential/cred_2')).toThrow('authenticate');
    expect(() => sealer.open(sealed, '')).toThrow('authenticate');
  });

  it('does not open with another key', () => {
    const sealed = sealer.seal('secret', CONTEXT);
    expect(() => createSealer(newKey()).open(sealed, CONTEXT)).toThrow('authenticate');
  });

  it('opens with each of its keys, and seals with the first', () => {
    const [older, newer] = [newKey(), newKey()];
    const sealed = createSealer(older).seal('secret', CONTEXT);
    for (const keys of [`${older},${newer}`, `${newer},${older}`]) {
      expect(createSealer(keys).open(sealed, CONTEXT)).toBe('secret');
    }
    const fresh = createSealer(`${newer},${older}`).seal('secret', CONTEXT);
    expect(createSealer(newer).open(fresh, CONTEXT)).toBe('secret');
    expect(() => createSealer(older).open(fresh, CONTEXT)).toThrow('authenticate');
  });

  it('seals anew what an older key sealed, and nothing else', () => {
    const [older, newer] = [newKey(), newKey()];
    const both = createSealer(`${newer},${older}`);
    const changed = both.reseal(createSealer(older).seal('secret', CONTEXT), CONTEXT)!;
    expect(createSealer(newer).open(changed, CONTEXT)).toBe('secret');
    expect(both.reseal(changed, CONTEXT)).toBeUndefined();
    expect(() => both.reseal(sealer.seal('secret', CONTEXT), CONTEXT)).toThrow('authenticate');
    const elsewhere = createSealer(older).seal('secret', 'provider_credential/cred_2');
    expect(() => both.reseal(elsewhere, CONTEXT)).toThrow('authenticate');
  });

  it('finds every changed bit', () => {
    const sealed = sealer.seal('secret', CONTEXT);
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7));
      expect(() => sealer.open(`v1.${changed.toString('base64url')}`, CONTEXT)).toThrow(
        'authenticate',
      );
    }
  });

  it.each([
    ['another version', (sealed: string) => sealed.replace('v1.', 'v2.')],
    ['no version', (sealed: string) => sealed.slice(3)],
    ['nothing behind the version', () => 'v1.'],
    ['less than nonce and tag', () => 'v1.AAAA'],
    ['a cut end', (sealed: string) => sealed.slice(0, -4)],
    ['nothing', () => ''],
  ])('refuses %s', (_name, change) => {
    expect(() => sealer.open(change(sealer.seal('secret', CONTEXT)), CONTEXT)).toThrow(
      /authenticate|not of a form/,
    );
  });

  it.each(['', 'short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64')])(
    'takes no key but one of 32 bytes',
    (key) => {
      expect(() => createSealer(key)).toThrow('32 bytes');
    },
  );
});
