import { describe, expect, it } from '@jest/globals';
import { describeEnd } from './end-of-run.mjs';

const COUNTS = { passed: 5, failed: 0, skipped: 1 };
const PROGRESS = { ...COUNTS, files: 2 };

describe('the end of a run', () => {
  it('has the counts of Jest if it came to its end', () => {
    const run = { counts: COUNTS, progress: PROGRESS, code: 0, signal: null };
    expect(describeEnd(run)).toEqual({ counts: COUNTS });
  });

  it('has no counts if there was nothing to run', () => {
    const run = { counts: undefined, progress: undefined, code: 0, signal: null };
    expect(describeEnd(run)).toEqual({ counts: undefined });
  });

  it('reports what ran before a signal, and one failure', () => {
    const run = { counts: undefined, progress: PROGRESS, code: null, signal: 'SIGTERM' as const };
    const { counts, problem } = describeEnd(run);
    expect(counts).toEqual({ passed: 5, failed: 1, skipped: 1 });
    expect(problem).toContain('was ended by SIGTERM after 2 test files');
  });

  it('is a failure if Jest exited before the first file', () => {
    const run = { counts: undefined, progress: undefined, code: 1, signal: null };
    expect(describeEnd(run)).toMatchObject({ counts: { passed: 0, failed: 1, skipped: 0 } });
  });
});
