import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Span } from '../span.ts';
import { createNameDetector } from './create-name-detector.ts';

const detect = createNameDetector();
const found = (text: string, takenSpans: readonly Span[] = []): string[] =>
  detect(text, takenSpans).map(
    ({ start, end, category }) => `${category} ${text.slice(start, end)}`,
  );

describe('createNameDetector', () => {
  it('finds persons, places, organisations and addresses', () => {
    expect(found('Hello, my name is Maria Keller and I live in Hamburg.')).toEqual([
      'PERSON Maria Keller',
      'LOCATION Hamburg',
    ]);
    expect(found('Ship to: Tom Becker, 42 Maple Street, Springfield, IL 62704').join()).toMatch(
      /PERSON Tom Becker.*ADDRESS 42 Maple Street/,
    );
    expect(found('She works for Siemens AG in Munich').join()).toMatch(/ORG Siemens AG.*Munich/);
  });

  it('finds names in JSON, CSV and logs', () => {
    expect(found('{"name": "Maria Keller", "id": 7}')).toEqual(['PERSON Maria Keller']);
    expect(found('id,name,total\n1,Maria Keller,20\n2,Tom Becker,30')).toEqual([
      'PERSON Maria Keller',
      'PERSON Tom Becker',
    ]);
    expect(found('[INFO] user Maria Keller logged in')).toEqual(['PERSON Maria Keller']);
  });

  it('finds nothing in texts without names', () => {
    expect(found('')).toEqual([]);
    expect(found('system: Answer with one valid JSON object and nothing else.')).toEqual([]);
    expect(['grace', 'lone', 'rocky.', 'ping'].flatMap((text) => found(text))).toEqual([]);
    expect(found('GET /v1/orders/17 HTTP/1.1\nContent-Type: application/json')).toEqual([]);
    expect(found('The meeting is on Monday at 10, please bring your own coffee.')).toEqual([]);
  });

  it.each([
    'Der Umsatz stieg um 112 Tausend.',
    'Die liquiden Mittel sanken um 139 Tausend Euro.',
    'Der Bestand fiel um 112 Tausend im dritten Quartal.',
    'Das Ergebnis hat sich um 128 Mio. verbessert.',
    'um 139 Millionen',
  ])('takes no amount for an address: %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('finds later mentions of a person by one word', () => {
    expect(found('Marta Wiśniewska called. Later I rang Wiśniewska back.')).toEqual([
      'PERSON Marta Wiśniewska',
      'PERSON Wiśniewska',
    ]);
  });

  it('returns offsets in UTF-16 units after astral characters and combining marks', () => {
    const text = '😀😀 My name is Zoe\u0308 Keller 😀';
    expect(found(text)).toEqual(['PERSON Zoe\u0308 Keller']);
  });

  it('ignores taken spans', () => {
    const text = 'Maria Keller, maria@example.com';
    const takenSpans = [{ start: 14, end: 31, category: 'EMAIL' as const }];
    expect(found(text, takenSpans)).toEqual(['PERSON Maria Keller']);
    expect(found(text, [{ start: 0, end: 12, category: 'PERSON' }])).toEqual([]);
  });

  it('returns the same ascending spans, without overlaps with each other or taken spans', () => {
    const word = fc.constantFrom(
      'Maria',
      'Keller',
      'Berlin',
      'street',
      '12',
      ',',
      '\n',
      '😀',
      '\ud800',
      'the',
      'GmbH',
      '"',
      '-',
    );
    const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, fc.nat(60), fc.integer({ min: 1, max: 9 }), (content, start, length) => {
        const end = Math.min(start + length, content.length);
        const takenSpans = end > start ? [{ start, end, category: 'PHONE' as const }] : [];
        const spans = detect(content, takenSpans);
        expect(getSecondDetector()(content, takenSpans)).toEqual(spans);
        const allSpans = [...spans, ...takenSpans].toSorted((a, b) => a.start - b.start);
        allSpans.forEach((span, index) => {
          expect(span.end).toBeGreaterThan(span.start);
          expect(span.start).toBeGreaterThanOrEqual(allSpans[index - 1]?.end ?? 0);
          expect(span.end).toBeLessThanOrEqual(content.length);
        });
      }),
      { numRuns: 300 },
    );
  });
});

const secondDetector = createNameDetector();
const getSecondDetector = (): typeof secondDetector => secondDetector;
