import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRestorer } from '../restore/create-restorer.ts';
import type { Span } from '../span.ts';
import { createMasker } from './create-masker.ts';
import type { Masker } from './create-masker.ts';

const KEY = new Uint8Array(32).fill(7);

const FAKE_PATTERN =
  /(?<EMAIL>[a-z]{1,9}@[a-z]{1,9}\.[a-z]{2,3})|(?<PHONE>\+?\d[\d ]{5,14}\d)|(?<PERSON>\p{Lu}\p{Ll}{1,9}\s\p{Lu}\p{Ll}{1,9})|(?<SECRET>sk-["\\\n\ud800\w]{1,9})/giu;

function detect(text: string): Span[] {
  return [...text.matchAll(FAKE_PATTERN)].map((found) => {
    const [category] =
      Object.entries(found.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    const start = found.index;
    return { start, end: start + found[0].length, category: category as Span['category'] };
  });
}

const openMasker = (): Masker => createMasker({ key: KEY, detect });

const VALUES = [
  'ann@x.io',
  'Ann@x.io',
  '+1 555 0100',
  '15550100',
  'Ann Lee',
  'ANN  LEE',
  'sk-"a\\\n',
];

/**
 * Placeholder names of the test values, which the texts contain literally to provoke collisions.
 */
const NAMES = VALUES.map((value) => openMasker().mask(value)).flatMap((masked) =>
  [...masked.matchAll(/[A-Z]+_[A-Z2-7]{6}/g)].map(([name]) => name),
);

const CHANGES: readonly ((placeholder: string) => string)[] = [
  (placeholder) => placeholder,
  (placeholder) => placeholder.slice(1, -1),
  (placeholder) => placeholder.slice(2, -2),
  (placeholder) => placeholder.toLowerCase(),
  (placeholder) => placeholder.slice(2, -2).toLowerCase(),
  (placeholder) => `\\[\\[${placeholder.slice(2, -2)}\\]\\]`,
  (placeholder) => `\\[${placeholder.slice(2, -2)}\\]`,
  (placeholder) => placeholder.replaceAll(/[[\]]/g, '\\\\$&'),
  (placeholder) => placeholder.replaceAll('_', '\\_'),
];

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...VALUES) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...NAMES, 'EMAIL_AAAAAA', 'phone_number'), fc.constantFrom(...CHANGES))
      .map(([name, change]) => change(`[[${name}]]`)),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '[',
      ']',
      '\\',
      '"',
      '_',
      '2',
      '{',
      '}',
      ', ',
      'n',
      '[[',
      ']]',
      '\\[',
      '_2',
      '\ud800',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

const PLACEHOLDER = /\[\[[A-Z_]+_[A-Z2-7]{6}(?:_\d+)?\]\]/g;

/** Values separated by punctuation, so that a bare placeholder name is a separate word. */
const separatedText = fc
  .array(fc.constantFrom(...VALUES, 'text', 'e', 'Ph', 'p_', '[', ']'), { maxLength: 9 })
  .map((words) => words.map((word, index) => (index % 3 === 1 ? `[${word}]` : word)).join(', '));

type Leaf = string | number | null | Leaf[] | { [key: string]: Leaf };
const { json: leaf } = fc.letrec<{ json: Leaf }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom(15_550_100, -15_550_100, 1.5e300, null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('phone', 'homePhone', 'name', 'a', '__proto__'), text),
      tie('json'),
      {
        maxKeys: 4,
      },
    ),
    tie('json').map((inner) => JSON.stringify(inner)),
  ),
}));
const jsonText = fc.tuple(leaf, fc.nat(2), fc.boolean()).map(([value, indent, isEscaped]) => {
  const plainJson = JSON.stringify(value, null, indent);
  return isEscaped
    ? plainJson.replaceAll(/(?<!\\)[AEL@]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
    : plainJson;
});

function streamed(masker: Masker, original: string, splits: readonly number[], insideJson = false) {
  const stream = createRestorer(masker.table).createRestoreStream({ insideJson });
  const edges = [0, ...splits.toSorted((a, b) => a - b), original.length];
  const pieces = edges.slice(1).map((end, index) => stream.push(original.slice(edges[index], end)));
  return pieces.join('') + stream.end();
}

describe('mask and restore', () => {
  it('return the original texts of a request', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        const masker = openMasker();
        const masked = texts.map((original) => masker.mask(original));
        const { restore } = createRestorer(masker.table);
        expect(masked.map(restore)).toEqual(texts);
      }),
      { numRuns: 1500 },
    );
  });

  it('return the original JSON text byte for byte', () => {
    fc.assert(
      fc.property(fc.array(jsonText, { minLength: 1, maxLength: 3 }), (texts) => {
        const masker = openMasker();
        const masked = texts.map((original) => masker.maskJsonText(original));
        const { restoreJsonText } = createRestorer(masker.table);
        expect(masked.map(restoreJsonText)).toEqual(texts);
        for (const maskedText of masked)
          expect(() => JSON.parse(maskedText) as unknown).not.toThrow();
      }),
      { numRuns: 1500 },
    );
  });

  it('return the original of a stream with arbitrary splits', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 5 }), (original, splits) => {
        const masker = openMasker();
        const masked = masker.mask(original);
        for (let split = 0; split <= masked.length; split += 1)
          expect(streamed(masker, masked, [split])).toBe(original);
        const inside = splits.filter((split) => split <= masked.length);
        expect(streamed(masker, masked, inside)).toBe(original);
      }),
      { numRuns: 150 },
    );
  });

  it('return the original of streamed JSON, split at every offset', () => {
    fc.assert(
      fc.property(jsonText, (original) => {
        const masker = openMasker();
        const masked = masker.maskJsonText(original);
        for (let split = 0; split <= masked.length; split += 1)
          expect(streamed(masker, masked, [split], true)).toBe(original);
      }),
      { numRuns: 30 },
    );
  });

  it.each(CHANGES.map((change) => [change('[[EMAIL_K7Q2MX]]'), change] as const))(
    'return the original when placeholders were changed to %s, split at every offset',
    (_name, change) => {
      fc.assert(
        fc.property(separatedText, (original) => {
          const masker = openMasker();
          const changed = masker.mask(original).replaceAll(PLACEHOLDER, change);
          expect(createRestorer(masker.table).restore(changed)).toBe(original);
          for (let split = 0; split <= changed.length; split += 1)
            expect(streamed(masker, changed, [split])).toBe(original);
        }),
        { numRuns: 60 },
      );
    },
  );

  it('restore random output independently of how it is split', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.nat(120), { maxLength: 6 }),
        fc.boolean(),
        (invented, splits, json) => {
          const masker = openMasker();
          masker.mask(VALUES.join(' and '));
          masker.maskJsonText('{"phone":15550199}');
          const unsplit = streamed(masker, invented, [], json);
          const inside = splits.filter((split) => split <= invented.length);
          expect(streamed(masker, invented, inside, json)).toBe(unsplit);
          expect(
            streamed(
              masker,
              invented,
              [...invented].map((_, index) => index),
              json,
            ),
          ).toBe(unsplit);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('leave placeholders of another table unchanged', () => {
    fc.assert(
      fc.property(separatedText, fc.constantFrom(...CHANGES), (original, change) => {
        const foreign = openMasker().mask(original).replaceAll(PLACEHOLDER, change);
        const otherMasker = createMasker({ key: new Uint8Array(32).fill(8), detect });
        otherMasker.mask(VALUES.join(' and '));
        expect(createRestorer(otherMasker.table).restore(foreign)).toBe(foreign);
      }),
      { numRuns: 300 },
    );
  });
});
