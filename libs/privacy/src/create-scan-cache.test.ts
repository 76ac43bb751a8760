import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Span } from './span.ts';
import { createScanCache } from './detect.ts';

const SPAN: Span = { start: 0, end: 4, category: 'PERSON' };
const TEXT = 'some '.repeat(20);
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

function countingDetect() {
  const seen: string[] = [];
  const detect = (text: string): Span[] => {
    seen.push(text);
    return [SPAN];
  };
  return { seen, detect };
}

describe('createScanCache', () => {
  it('scans a text once per scope', () => {
    const { seen, detect } = countingDetect();
    const cache = createScanCache({ bytesMax: 10_000, hash });
    for (const scope of ['a', 'a', 'b']) expect(cache.wrap(scope, detect)(TEXT)).toEqual([SPAN]);
    expect(cache.wrap('a', detect)(`${TEXT}.`)).toEqual([SPAN]);
    expect(seen).toEqual([TEXT, TEXT, `${TEXT}.`]);
  });

  it('keeps texts that were used recently, and respects its size limit', () => {
    const { seen, detect } = countingDetect();
    // Half of it has room for three entries.
    const cache = createScanCache({ bytesMax: 2000, hash });
    const find = (...texts: number[]): void => {
      for (const text of texts) cache.wrap('a', detect)(TEXT + text);
      expect(cache.bytes).toBeLessThanOrEqual(2000);
    };
    find(1, 2, 3, 4, 1, 5, 6);
    seen.length = 0;
    find(1, 4, 5, 6, 2);
    expect(seen).toEqual([`${TEXT}2`]);
  });

  it('stores no entry that exceeds the limit alone', () => {
    const { seen, detect } = countingDetect();
    const cache = createScanCache({ bytesMax: 100, hash });
    cache.wrap('a', detect)(TEXT);
    cache.wrap('a', detect)(TEXT);
    expect([seen.length, cache.bytes]).toEqual([2, 0]);
  });

  it('distinguishes lone surrogates', () => {
    const { seen, detect } = countingDetect();
    const cache = createScanCache({ bytesMax: 10_000, hash });
    for (const end of ['\ud800', '\ud801', '\ufffd']) cache.wrap('a', detect)(TEXT + end);
    expect(seen).toHaveLength(3);
  });

  it('stores nothing when the scan throws', () => {
    const cache = createScanCache({ bytesMax: 10_000, hash });
    const wrap = cache.wrap('a', () => {
      throw new Error('broken');
    });
    expect(() => wrap(TEXT)).toThrow('broken');
    expect(() => wrap(TEXT)).toThrow('broken');
  });
});
