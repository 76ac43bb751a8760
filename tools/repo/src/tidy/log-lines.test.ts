import { describe, expect, it } from '@jest/globals';
import { renderLogEvents } from '../log-events.ts';
import { treeOf } from '../tree.ts';
import { logLines } from './log-lines.ts';

const EMPTY_PAGE =
  '# Logs\n\n<!-- log events: written by `npm run log-events` -->\n<!-- end of log events -->\n';
const CODE = 'apps/x/src/a.ts';
const makeLogCall = (fields: string) => `log.warn(${fields}, 'The broker is unreachable');\n`;

describe('logLines', () => {
  it.each([
    ['no fields', "'The broker is unreachable'"],
    ['no event', '{ err }'],
    ['an event in camel case', "{ event: 'brokerLost' }"],
    ['an event of one word', "{ event: 'broker' }"],
    ['an event that is not a literal', '{ event: name }'],
  ])('refuses a line with %s', (_name, fields) => {
    expect(logLines(treeOf({ [CODE]: makeLogCall(fields) }))).toMatchObject([
      { path: CODE, line: 1 },
    ]);
  });

  it('requires the page to list the events', () => {
    const code = { [CODE]: makeLogCall("{ event: 'broker_lost', err }") };
    expect(logLines(treeOf({ ...code, 'docs/telemetry.md': EMPTY_PAGE }))).toHaveLength(1);
    const page = renderLogEvents(treeOf(code), EMPTY_PAGE);
    expect(page).toContain('| `broker_lost` | warn | x | The broker is unreachable |');
    expect(logLines(treeOf({ ...code, 'docs/telemetry.md': page }))).toEqual([]);
  });
});
