import { describe, expect, it } from '@jest/globals';
import { findRegressions } from './find-regressions.ts';

const step = (state: string, failures: [string, string][] = []) => ({
  state,
  failures: new Map(failures),
});

describe('findRegressions', () => {
  it('returns nothing if every step passes', () => {
    expect(findRegressions([step('old'), step('mixed'), step('new')])).toEqual([]);
  });

  it('returns new failures with their step', () => {
    const steps = [step('old'), step('mixed', [['chat', '500']]), step('new')];
    expect(findRegressions(steps)).toEqual(['mixed: chat: 500']);
  });

  it('ignores what failed in the first step too', () => {
    const missing: [string, string][] = [['debate', '404']];
    expect(findRegressions([step('old', missing), step('mixed', missing)])).toEqual([]);
  });
});
