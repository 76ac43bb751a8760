import { describe, expect, it } from '@jest/globals';
import { createDetectors } from './create-detectors.ts';
import { DEFAULT_PRIVACY } from './privacy-settings.ts';
import type { PrivacySettings } from './privacy-settings.ts';

const open = () => {
  const read: string[] = [];
  let made = 0;
  const detectorFor = createDetectors({
    createDetector: () => {
      made += 1;
      return (text) => {
        read.push(text);
        return [{ start: 0, end: 1, category: 'PERSON' }];
      };
    },
    cacheBytes: 1_000_000,
  });
  return { detectorFor, read, made: () => made };
};

describe('createDetectors', () => {
  it('creates one detector for equal settings', () => {
    const { detectorFor, made } = open();
    const other: PrivacySettings = { ...DEFAULT_PRIVACY, categories: [] };
    detectorFor(DEFAULT_PRIVACY);
    detectorFor({ ...DEFAULT_PRIVACY });
    expect(made()).toBe(1);
    detectorFor(other);
    expect(made()).toBe(2);
  });

  it('scans a long text once per settings', () => {
    const { detectorFor, read } = open();
    const text = 'a'.repeat(1_000);
    for (const categories of [['EMAIL'], ['PHONE'], ['EMAIL']] as const) {
      detectorFor({ ...DEFAULT_PRIVACY, categories })(text);
    }
    expect(read).toEqual([text, text]);
  });
});
