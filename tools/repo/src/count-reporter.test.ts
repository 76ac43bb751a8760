import { describe, expect, it } from '@jest/globals';
import { countTests, skippedLines, type RunResults } from './count-reporter.ts';

const results: RunResults = {
  numPassedTests: 5,
  numFailedTests: 2,
  numPendingTests: 1,
  numTodoTests: 1,
  numRuntimeErrorTestSuites: 1,
  testResults: [
    {
      testFilePath: '/repository/libs/a/src/a.test.ts',
      testResults: [
        { fullName: 'a runs', status: 'passed' },
        { fullName: 'a needs vectors: WITAN_VECTORS is not set', status: 'pending' },
        { fullName: 'a will do more', status: 'todo' },
      ],
    },
  ],
};

describe('countTests', () => {
  it('counts a file that could not run as one failure, and a todo as skipped', () => {
    expect(countTests(results)).toEqual({ passed: 5, failed: 3, skipped: 2 });
  });
});

describe('skippedLines', () => {
  it('names every skipped test and its file', () => {
    expect(skippedLines(results, '/repository')).toEqual([
      '  libs/a/src/a.test.ts › a needs vectors: WITAN_VECTORS is not set',
      '  libs/a/src/a.test.ts › a will do more',
    ]);
  });
});
