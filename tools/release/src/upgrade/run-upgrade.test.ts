import { describe, expect, it } from '@jest/globals';
import { findRegressions } from './run-upgrade.ts';

const makeStep = (state: string, failures: [string, string][] = []) => ({
  state,
  failures: new Map(failures),
});

describe('findRegressions', () => {
  it('returns nothing if every step passes', () => {
    expect(findRegressions([makeStep('old'), makeStep('mixed'), makeStep('new')])).toEqual([]);
  });

  it('returns new failures with their step', () => {
    const steps = [makeStep('old'), makeStep('mixed', [['chat', '500']]), makeStep('new')];
    expect(findRegressions(steps)).toEqual(['mixed: chat: 500']);
  });

  it('ignores what failed in the first step too', () => {
    const missing: [string, string][] = [['debate', '404']];
    expect(findRegressions([makeStep('old', missing), makeStep('mixed', missing)])).toEqual([]);
  });
});
