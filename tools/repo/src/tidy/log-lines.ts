import { findLogEvents, isLogPageCurrent } from '../log-events.ts';
import type { Rule } from '../tree.ts';

const PAGE = 'docs/telemetry.md';
const EVENT = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;

/**
 * Checks that every log line has an event in snake_case, and that docs/telemetry.md lists the
 * events.
 */
export const logLines: Rule = (tree) => {
  const findings = findLogEvents(tree)
    .filter(({ event }) => !EVENT.test(event))
    .map(({ path, line, event }) => ({
      path,
      line,
      message: `logs ${event ? `"${event}"` : 'no event'}: pass { event: 'snake_case_name' }.`,
    }));
  if (findings.length > 0 || !tree.paths.includes(PAGE) || isLogPageCurrent(tree)) return findings;
  return [{ path: PAGE, message: 'lists other log events than the code: npm run log-events.' }];
};
