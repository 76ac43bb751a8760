const SHOWN = 20;
const LENGTH_MAX = 400;

/** The first of what was violated, and how much it is. */
export const printViolations = (violations: readonly string[]): void => {
  for (const violation of violations.slice(0, SHOWN)) {
    process.stdout.write(`VIOLATION ${violation.slice(0, LENGTH_MAX)}\n`);
  }
  process.stdout.write(`${violations.length} violations\n`);
};
