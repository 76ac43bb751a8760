import { afterEach, describe, expect, it } from '@jest/globals';
import { createDetectorFactory } from '@witan/privacy';
import { DEFAULT_PRIVACY } from '../domain/privacy/privacy-settings.ts';
import { createScanWorker } from './scan-worker.ts';
import type { ScanWorker } from './scan-worker.ts';

const TEXTS = ['Write to ann.lee@example.org.', 'Nothing here.', 'Ann Lee, 12 High Street, Leeds'];

describe('the reader of long texts', () => {
  const open: ScanWorker[] = [];
  const start = (): ScanWorker => {
    const worker = createScanWorker();
    open.push(worker);
    return worker;
  };
  afterEach(async () => {
    for (const worker of open.splice(0)) await worker.close();
  });

  it('finds what a detector here finds, by the settings of each workspace', async () => {
    const { scan } = start();
    const createDetector = createDetectorFactory();
    const own = { ...DEFAULT_PRIVACY, terms: [{ text: 'nothing', category: 'ORG' as const }] };
    const settings = [DEFAULT_PRIVACY, own, { ...own, categories: [] }];
    const found = await Promise.all(settings.map((one) => scan(one, TEXTS)));
    const expected = settings.map((one) => TEXTS.map((text) => createDetector(one)(text)));
    expect(found).toEqual(expected);
    expect(found[1]![1]).toEqual([{ start: 0, end: 7, category: 'ORG' }]);
  });

  it('lets everybody else go on meanwhile', async () => {
    const { scan } = start();
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 1);
    await scan(DEFAULT_PRIVACY, ['Ann Lee wrote to Bob Ray. '.repeat(40_000)]);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
  });

  it('refuses the call when the detector throws, and does not quote the text', async () => {
    const { scan } = start();
    const bad = { ...DEFAULT_PRIVACY, patterns: [{ pattern: 'a*', category: 'ORG' as const }] };
    await expect(scan(bad, TEXTS)).rejects.toThrow('PatternError');
    await expect(scan(DEFAULT_PRIVACY, TEXTS)).resolves.toHaveLength(3);
  });

  it('refuses what waits when it dies, and starts anew', async () => {
    const worker = start();
    const lost = worker.scan(DEFAULT_PRIVACY, TEXTS);
    await Promise.all([
      expect(lost).rejects.toMatchObject({ reason: 'UNAVAILABLE' }),
      worker.close(),
    ]);
    await expect(worker.scan(DEFAULT_PRIVACY, TEXTS)).resolves.toHaveLength(3);
  });

  it('refuses more than it can hold', async () => {
    const { scan } = start();
    const much = 'x'.repeat(65 * 1024 * 1024);
    const first = scan({ ...DEFAULT_PRIVACY, categories: [] }, [much]).catch(String);
    await expect(scan(DEFAULT_PRIVACY, [much])).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    await open[0]!.close();
    await first;
  });
});
