import { describe, expect, it } from '@jest/globals';
import { HOSTILE_UNITS } from '../bench/measure-speed.ts';
import { detectLinksAndDates } from './cli/report-spans.ts';
import { detectStructured } from './detect-structured.ts';

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
