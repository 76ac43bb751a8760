import { describe, expect, it } from '@jest/globals';
import { parseProcessStat } from './process-stat.ts';

describe('parseProcessStat', () => {
  it('reads times after a command name with spaces and brackets', () => {
    const text =
      '4242 (postgres: writer (a b) 1) S 77 4242 77 0 -1 4194560 900 5 0 0 150 50 700 25 20 0 1 0';

    expect(parseProcessStat(text)).toEqual({
      pid: 4242,
      parentPid: 77,
      ownSeconds: 2,
      endedChildrenSeconds: 7.25,
    });
  });

  it('throws on other text', () => {
    expect(() => parseProcessStat('cpu  1 2 3')).toThrow('not the text');
  });
});
