import { describe, expect, it } from '@jest/globals';
import { CHECKS, runChecks, type Check } from './checks.ts';

const makeCheck = (name: string, run: Check['run']): Check => ({ name, run });

describe('runChecks', () => {
  it('runs all checks even if some fail, and prints the output of the failed ones', async () => {
    const lines: string[] = [];
    const failed = await runChecks(
      'root',
      [
        makeCheck('first', async () => ({ ok: false, output: 'line 1\nline 2' })),
        makeCheck('second', async () => {
          throw new Error('broken check');
        }),
        makeCheck('third', async (root) => ({ ok: root === 'root', output: 'not shown' })),
      ],
      (line) => lines.push(line),
    );
    expect(failed).toEqual(['first', 'second']);
    expect(lines[0]).toMatch(/^FAILED first \(\d+\.\d s\)$/);
    expect(lines[1]).toBe('       line 1\n       line 2');
    expect(lines[3]).toContain('broken check');
    expect(lines[4]).toMatch(/^ok {5}third/);
    expect(lines).toHaveLength(5);
  });
});

describe('CHECKS', () => {
  it('have unique names', () => {
    expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
  });
});
