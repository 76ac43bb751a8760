const VIOLATIONS_SHOWN = 20;
const LENGTH_MAX = 400;

/** Prints the first violations, shortened, and the number of all violations. */
export const printViolations = (violations: readonly string[]): void => {
  for (const violation of violations.slice(0, VIOLATIONS_SHOWN)) {
    process.stdout.write(`VIOLATION ${violation.slice(0, LENGTH_MAX)}\n`);
  }
  process.stdout.write(`${violations.length} violations\n`);
};
