import { describe, expect, it } from '@jest/globals';
import type { Detect, Span } from '@witan/privacy';
import { createDetectors } from './create-detectors.ts';
import { DEFAULT_PRIVACY } from './privacy-settings.ts';
import type { PrivacySettings } from './privacy-settings.ts';

const SPAN: Span = { start: 0, end: 1, category: 'PERSON' };

/** Detectors that note what they read, here and aside. */
const open = () => {
  const here: string[] = [];
  const aside: string[] = [];
  let made = 0;
  const detectors = createDetectors({
    createDetector: () => {
      made += 1;
      return (text) => {
        here.push(text);
        return [SPAN];
      };
    },
    scanAside: async (_settings, texts) => {
      aside.push(...texts);
      return texts.map(() => [SPAN]);
    },
    cacheBytes: 1_000_000,
  });
  const scan = async (texts: readonly string[], settings = DEFAULT_PRIVACY): Promise<Detect> =>
    detectors.scanAhead(settings, {
      length: texts.join('').length,
      read: (detect) => texts.forEach((text) => detect(text)),
    });
  return { ...detectors, scan, here, aside, made: () => made };
};
const long = (mark: string): string => mark.repeat(20_000);

describe('detectors of workspaces', () => {
  it('are made once for settings that say the same', () => {
    const { detectorFor, made } = open();
    const other: PrivacySettings = { ...DEFAULT_PRIVACY, categories: [] };
    detectorFor(DEFAULT_PRIVACY);
    detectorFor({ ...DEFAULT_PRIVACY });
    expect(made()).toBe(1);
    detectorFor(other);
    expect(made()).toBe(2);
  });

  it('do not know for one workspace what they found for another', () => {
    const { detectorFor, here } = open();
    const text = long('a');
    for (const categories of [['EMAIL'], ['PHONE'], ['EMAIL']] as const) {
      detectorFor({ ...DEFAULT_PRIVACY, categories })(text);
    }
    expect(here).toEqual([text, text]);
  });

  it('leave little to read where it is', async () => {
    const { scan, here, aside } = open();
    const detect = await scan(['short', 'text']);
    expect(detect('short')).toEqual([SPAN]);
    expect([here, aside]).toEqual([['short'], []]);
  });

  it('have much read aside, each text once, and of a longer conversation only what is new', async () => {
    const { scan, here, aside } = open();
    const first = [long('a'), long('b'), 'short', long('a')];
    const detect = await scan(first);
    expect(first.map(detect)).toEqual(first.map(() => [SPAN]));
    expect(aside).toEqual([long('a'), long('b'), 'short']);
    const next = await scan([...first, long('c'), long('d')]);
    expect(next(long('d'))).toEqual([SPAN]);
    expect(aside.slice(3)).toEqual(['short', long('c'), long('d')]);
    expect(here).toEqual([]);
  });
});
