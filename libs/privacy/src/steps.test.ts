import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createDetectorFactory, createScanCache } from './detect.ts';
import { createMasker } from './mask/create-masker.ts';
import type { Masker } from './mask/create-masker.ts';
import { TextTooLongError } from './name/tokenize.ts';
import { runSteps } from './steps.ts';
import type { Steps } from './steps.ts';

const detectorFor = createDetectorFactory();
const detect = detectorFor({
  terms: [{ text: 'Nordwind', category: 'ORG' }],
  patterns: [{ pattern: 'K-\\d{3,6}', category: 'ORG' }],
});
const openMasker = (): Masker => createMasker({ key: new Uint8Array(32).fill(9), detect });

const PIECES = [
  'Ann Lee wrote to Bob Ray. ',
  'Mail maria.lopez@example.org or call +49 30 1234567.\n',
  'name,city,phone\nKlaus Weber,Hamburg,555 0100\n',
  'The quarterly report of Nordwind names K-1234. ',
  '```js\nconst total = items.length;\n```\n',
  '{"ssn": 536904399, "owner": "Grace Hopper"}\n',
  'https://user:secret@example.org/path?x=1 ',
  '[[EMAIL_K7Q2MX]] ＠ 安 \u{1F600} ',
  'Lee said so. ',
];
const longText = fc
  .array(fc.constantFrom(...PIECES), { minLength: 600, maxLength: 1_200 })
  .map((pieces) => pieces.join(''));

/** Runs two computations, alternating as `turns` says, and returns their results. */
const alternate = (computations: readonly Steps<string>[], turns: readonly number[]): string[] => {
  const results = new Map<number, string>();
  for (let turn = 0; results.size < computations.length; turn += 1) {
    const preferred = turns[turn % turns.length]!;
    const index = results.has(preferred) ? 1 - preferred : preferred;
    const { done, value } = computations[index]!.next();
    if (done === true) results.set(index, value);
  }
  return computations.map((_, index) => results.get(index)!);
};

describe('steps', () => {
  it('mask a text as in one piece, whatever runs in between', () => {
    const turns = fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(longText, longText, turns, (a, b, order) => {
        const texts = [JSON.stringify([a, { note: b }]), JSON.stringify({ text: b, list: [a] })];
        const whole = texts.map((text) => openMasker().maskJsonText(text));
        const inSteps = texts.map((text) => openMasker().maskJsonInSteps(text));
        const masked = alternate(inSteps, order);
        // Not compared by the matcher, because it would print the texts.
        expect(masked.map((text, index) => text === whole[index])).toEqual([true, true]);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  it('pause a long text many times, also through a cache, and a short one never', () => {
    const cache = createScanCache({ bytesMax: 1_000_000, hash: (text) => text.slice(0, 100) });
    const masker = createMasker({ key: new Uint8Array(32), detect: cache.wrap('', detect) });
    const countPauses = (text: string): number => {
      const steps = masker.maskJsonInSteps(JSON.stringify({ text }));
      let pauses = 0;
      while (steps.next().done !== true) pauses += 1;
      return pauses;
    };
    expect(countPauses('x '.repeat(500_000))).toBeGreaterThan(100);
    expect(countPauses('Ann Lee wrote.')).toBeLessThan(3);
  });

  it('refuse a text with more tokens than any model reads', () => {
    const steps = detectorFor({}).inSteps('a@'.repeat(4_100_000));
    expect(() => runSteps(steps)).toThrow(TextTooLongError);
  });
});
