import process from 'node:process';

/** What `npm test` says in its last line; a file that could not run is one failure. */
export type TestCounts = { passed: number; failed: number; skipped: number };

/** The parts of Jest's results that are read here. */
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

/** Adds up a run. A pending or todo test is skipped. */
export const countTests = (results: RunResults): TestCounts => ({
  passed: results.numPassedTests,
  failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
  skipped: results.numPendingTests + results.numTodoTests,
});

/** One line for each skipped test: its name carries its reason. Paths are relative to `rootDir`. */
export const skippedLines = (results: RunResults, rootDir: string): string[] =>
  results.testResults.flatMap((file) =>
    file.testResults
      .filter(({ status }) => status === 'pending' || status === 'todo' || status === 'disabled')
      .map(({ fullName }) => `  ${relativeTo(rootDir, file.testFilePath)} › ${fullName}`),
  );

const relativeTo = (rootDir: string, path: string): string =>
  path.startsWith(`${rootDir}/`) ? path.slice(rootDir.length + 1) : path;

/**
 * Jest reporter: lists the skipped tests, and tells the process that started Jest the counts, so
 * that they can be the last line whatever Jest prints while it ends. A run in which no test ran
 * fails.
 */
export default class CountReporter {
  private readonly config: { rootDir: string; testNamePattern?: unknown };
  private error: Error | undefined;

  constructor(globalConfig: { rootDir: string; testNamePattern?: unknown }) {
    this.config = globalConfig;
  }

  onRunComplete(_contexts: unknown, results: RunResults): void {
    const counts = countTests(results);
    const skipped = skippedLines(results, this.config.rootDir);
    // With -t, what is skipped is everything that was not asked for.
    if (skipped.length > 0 && !this.config.testNamePattern) {
      process.stderr.write(`\nSkipped, with the reason in the name:\n${skipped.join('\n')}\n`);
    }
    if (counts.passed + counts.failed === 0) {
      this.error = new Error('No test ran.');
      process.stderr.write('\nNo test ran: that counts as a failed run.\n');
    }
    process.send?.({ type: 'witan-test-counts', counts });
  }

  /** Jest fails the run when a reporter has an error. */
  getLastError(): Error | undefined {
    return this.error;
  }
}
