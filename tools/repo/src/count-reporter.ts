import process from 'node:process';

export type TestCounts = { passed: number; failed: number; skipped: number };

export type RunResults = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: readonly FileResults[];
};

type FileResults = {
  testFilePath: string;
  testResults: readonly { fullName: string; status: string }[];
};

export const countTests = (results: RunResults): TestCounts => ({
  passed: results.numPassedTests,
  failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
  skipped: results.numPendingTests + results.numTodoTests,
});

/**
 * Returns one line per skipped test. The title of a test contains the reason. Paths are relative to
 * `rootDir`.
 */
export const skippedLines = (results: RunResults, rootDir: string): string[] =>
  results.testResults.flatMap((file) =>
    file.testResults
      .filter(({ status }) => status === 'pending' || status === 'todo' || status === 'disabled')
      .map(({ fullName }) => `  ${relativeTo(rootDir, file.testFilePath)} › ${fullName}`),
  );

const relativeTo = (rootDir: string, path: string): string =>
  path.startsWith(`${rootDir}/`) ? path.slice(rootDir.length + 1) : path;

/**
 * Jest reporter that lists skipped tests and sends the totals to the parent process, which prints
 * them last. A run without tests fails.
 */
export default class CountReporter {
  private readonly config: { rootDir: string; testNamePattern?: unknown };
  private error: Error | undefined;

  constructor(globalConfig: { rootDir: string; testNamePattern?: unknown }) {
    this.config = globalConfig;
  }

  /** Sends the totals so far, which count if the run is ended by a signal. */
  onTestResult(_test: unknown, _result: unknown, results: RunResults): void {
    const progress = { ...countTests(results), files: results.testResults.length };
    process.send?.({ type: 'witan-test-progress', progress });
  }

  onRunComplete(_contexts: unknown, results: RunResults): void {
    const counts = countTests(results);
    const skipped = skippedLines(results, this.config.rootDir);
    // With -t, Jest skips all tests that do not match.
    if (skipped.length > 0 && !this.config.testNamePattern) {
      process.stderr.write(
        `\nSkipped tests (the title contains the reason):\n${skipped.join('\n')}\n`,
      );
    }
    if (counts.passed + counts.failed === 0) {
      this.error = new Error('No test ran.');
      process.stderr.write('\nNo test ran: this counts as a failed run.\n');
    }
    process.send?.({ type: 'witan-test-counts', counts });
  }

  /** Returns the error of this reporter, which makes Jest fail the run. */
  getLastError(): Error | undefined {
    return this.error;
  }
}
