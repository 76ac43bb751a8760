import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Span } from '../span.ts';
import { createScanCache } from './create-scan-cache.ts';

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

  it('evicts the least recently used entries and respects its size limit', () => {
    const { seen, detect } = countingDetect();
    const cache = createScanCache({ bytesMax: 1000, hash });
    const wrap = cache.wrap('a', detect);
    const texts = ['1', '2', '3'].map((end) => TEXT + end);
    for (const text of texts) wrap(text);
    wrap(texts[0] as string);
    wrap(`${TEXT}4`);
    expect(cache.bytes).toBeLessThanOrEqual(1000);
    seen.length = 0;
    for (const index of [0, 2, 1]) wrap(texts[index] as string);
    expect(seen).toEqual([texts[1]]);
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
