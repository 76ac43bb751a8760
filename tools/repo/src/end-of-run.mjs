/**
 * Returns the counts of a run of Jest, and what to say if it ended before its end. `counts` are its
 * own, `progress` those after the last test file that ended. Without tests, as for --listTests,
 * both are undefined.
 */
export const describeEnd = ({ counts, progress, code, signal }) => {
  if (counts !== undefined || code === 0) return { counts };
  if (progress === undefined) {
    const problem = 'Jest exited before it ran the tests: this counts as a failure.';
    return { counts: { passed: 0, failed: 1, skipped: 0 }, problem };
  }
  const { files, passed, failed, skipped } = progress;
  const by = signal ? `was ended by ${signal}` : `exited with code ${code}`;
  const after = `after ${files} test file${files === 1 ? '' : 's'}`;
  return {
    counts: { passed, failed: failed + 1, skipped },
    problem: `Jest ${by} ${after}: this counts as a failure. Other tests did not run.`,
  };
};
