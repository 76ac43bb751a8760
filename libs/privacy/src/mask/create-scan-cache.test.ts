import { describe, expect, it } from '@jest/globals';
import type { Span } from '../span.ts';
import { createScanCache } from './create-scan-cache.ts';

const SPAN: Span = { start: 0, end: 4, category: 'PERSON' };
const TEXT = 'some '.repeat(20);

function countingDetect() {
  const seen: string[] = [];
  const detect = (text: string): Span[] => {
    seen.push(text);
    return [SPAN];
  };
  return { seen, detect };
}

describe('createScanCache', () => {
  it('scans a text once in a scope', () => {
    const { seen, detect } = countingDetect();
    const cache = createScanCache({ bytesMax: 10_000 });
    for (const scope of ['a', 'a', 'b']) expect(cache.through(scope, detect)(TEXT)).toEqual([SPAN]);
    expect(cache.through('a', detect)(`${TEXT}.`)).toEqual([SPAN]);
    expect(seen).toEqual([TEXT, TEXT, `${TEXT}.`]);
  });

  it('forgets what was unused for longest, and never outgrows its bound', () => {
    const { seen, detect } = countingDetect();
    const cache = createScanCache({ bytesMax: 1000 });
    const through = cache.through('a', detect);
    const texts = ['1', '2', '3'].map((end) => TEXT + end);
    for (const text of texts) through(text);
    through(texts[0] as string);
    through(`${TEXT}4`); // drops 2
    expect(cache.bytes).toBeLessThanOrEqual(1000);
    seen.length = 0;
    for (const at of [0, 2, 1]) through(texts[at] as string);
    expect(seen).toEqual([texts[1]]);
  });

  it('keeps nothing that alone is too large', () => {
    const { seen, detect } = countingDetect();
    const cache = createScanCache({ bytesMax: 100 });
    cache.through('a', detect)(TEXT);
    cache.through('a', detect)(TEXT);
    expect([seen.length, cache.bytes]).toEqual([2, 0]);
  });

  it('does not take one lone surrogate for another', () => {
    const { seen, detect } = countingDetect();
    const cache = createScanCache({ bytesMax: 10_000 });
    for (const end of ['\ud800', '\ud801', '\ufffd']) cache.through('a', detect)(TEXT + end);
    expect(seen).toHaveLength(3);
  });

  it('keeps nothing of a scan that failed', () => {
    const cache = createScanCache({ bytesMax: 10_000 });
    const through = cache.through('a', () => {
      throw new Error('broken');
    });
    expect(() => through(TEXT)).toThrow('broken');
    expect(() => through(TEXT)).toThrow('broken');
  });
});
