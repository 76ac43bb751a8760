import { describe, expect, it } from '@jest/globals';
import { createDetectors } from './mask-json.ts';
import { DEFAULT_PRIVACY } from './privacy-settings.ts';
import type { PrivacySettings } from './privacy-settings.ts';

const open = () => {
  const read: string[] = [];
  let createdCount = 0;
  const detectorFor = createDetectors({
    createDetector: () => {
      createdCount += 1;
      return (text) => {
        read.push(text);
        return [{ start: 0, end: 1, category: 'PERSON' }];
      };
    },
    cacheBytes: 1_000_000,
  });
  return { detectorFor, read, createdCount: () => createdCount };
};

describe('createDetectors', () => {
  it('creates one detector for equal settings', () => {
    const { detectorFor, createdCount } = open();
    const other: PrivacySettings = { ...DEFAULT_PRIVACY, categories: [] };
    detectorFor(DEFAULT_PRIVACY);
    detectorFor({ ...DEFAULT_PRIVACY });
    expect(createdCount()).toBe(1);
    detectorFor(other);
    expect(createdCount()).toBe(2);
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
