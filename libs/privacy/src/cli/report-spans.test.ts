import { describe, expect, it } from '@jest/globals';
import { detectLinksAndDates } from './report-spans.ts';
import { HOSTILE_UNITS } from '../../bench/measure-speed.ts';
import { detectStructured } from '../detect-structured.ts';

const detected = (text: string): string[] =>
  detectLinksAndDates(text).map(({ start, end, kind }) => `${kind} ${text.slice(start, end)}`);

describe('detectLinksAndDates', () => {
  it.each([
    ['My website is http://www.tours.hu/', ['URL http://www.tours.hu/']],
    ['see (https://a.b/c) and www.example.com/x.', ['URL https://a.b/c', 'URL www.example.com/x']],
    ['on 12 March 2024 and 3/4/2021', ['DATE 12 March 2024', 'DATE 3/4/2021']],
    ['May 3, 2001 and 2024-01-15T10:22', ['DATE May 3, 2001', 'DATE 2024-01-15']],
    ['2024年1月15日', ['DATE 2024年1月15日']],
    ['SWIFT: UTEQUS34, BIC CWCAGBMFXXX', ['SWIFT UTEQUS34', 'SWIFT CWCAGBMFXXX']],
    ['a STANDARD UTEQUS34', []],
    ['logs/2025/09/15/part in 2017', []],
    ['v1.2.2024 or 1.2.3', []],
  ])('finds in %j the spans %j', (text, spans) => {
    expect(detected(text)).toEqual(spans);
  });
});

const LENGTH = 16 * 1024;

describe('adversarial text', () => {
  it.each(HOSTILE_UNITS)('of %s has ascending spans without overlaps', (_name, unit) => {
    const text = unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
    for (const spans of [detectStructured(text), detectLinksAndDates(text)]) {
      let end = 0;
      for (const span of spans) {
        expect(span.start).toBeGreaterThanOrEqual(end);
        expect(span.end).toBeGreaterThan(span.start);
        end = span.end;
      }
      expect(end).toBeLessThanOrEqual(text.length);
    }
  });
});
