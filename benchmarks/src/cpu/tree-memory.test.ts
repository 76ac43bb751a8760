import { describe, expect, it } from '@jest/globals';
import { parsePssMib } from './tree-memory.ts';

describe('parsePssMib', () => {
  it('reads the proportional size, not that of one kind of pages', () => {
    const text =
      '55d0-7ffc ---p 00000000 00:00 0    [rollup]\nRss:   90112 kB\nPss:   65536 kB\n' +
      'Pss_Dirty:  1024 kB\nPss_Anon:   2048 kB\n';

    expect(parsePssMib(text)).toBe(64);
  });

  it('throws on other text', () => {
    expect(() => parsePssMib('VmRSS:  1 kB')).toThrow('not the text');
  });
});
