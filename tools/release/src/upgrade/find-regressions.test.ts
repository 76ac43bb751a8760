import { describe, expect, it } from '@jest/globals';
import { findRegressions } from './find-regressions.ts';

const step = (state: string, faults: [string, string][] = []) => ({
  state,
  faults: new Map(faults),
});

describe('an upgrade', () => {
  it('is none to complain of when every step does what the first did', () => {
    expect(findRegressions([step('old'), step('mixed'), step('new')])).toEqual([]);
  });

  it('is told of by what no longer works, in the step where it does not', () => {
    const steps = [step('old'), step('mixed', [['chat', '500']]), step('new')];
    expect(findRegressions(steps)).toEqual(['mixed: chat: 500']);
  });

  it('need not do what the first step could not do either', () => {
    const missing: [string, string][] = [['debate', '404']];
    expect(findRegressions([step('old', missing), step('mixed', missing)])).toEqual([]);
  });
});
