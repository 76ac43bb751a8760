import { describe, expect, it } from '@jest/globals';
import { describeAudit } from './audit.ts';

const NONE = { info: 0, low: 0, moderate: 0, high: 0, critical: 0, total: 0 };
const reportOf = (counts: object, vulnerabilities: object = {}): string =>
  JSON.stringify({ metadata: { vulnerabilities: { ...NONE, ...counts } }, vulnerabilities });

describe('the audit of dependencies', () => {
  it('passes when the registry knows no weakness, or no severe one', () => {
    expect(describeAudit(reportOf({})).exitCode).toBe(0);
    const moderate = reportOf({ moderate: 1 }, { a: { severity: 'moderate' } });
    expect(describeAudit(moderate)).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining('1 moderate'),
    });
  });

  it.each(['high', 'critical'])('fails for a weakness that is %s, with its name', (severity) => {
    const report = reportOf({ [severity]: 1 }, { left: { severity, range: '<2.0.0' } });
    expect(describeAudit(report)).toEqual({
      exitCode: 1,
      text: expect.stringContaining(`${severity}: left <2.0.0`),
    });
  });

  it.each([
    ['a registry that does not answer', '{"message":"405 Method Not Allowed","statusCode":405}'],
    ['a page instead of a report', '<html>405 Method Not Allowed</html>'],
    ['no output', ''],
    ['an empty object', '{}'],
  ])('says that nothing was checked for %s', (_name, output) => {
    const { exitCode, text } = describeAudit(output);
    expect([exitCode, text]).toEqual([2, expect.stringMatching(/^Nothing was checked: ./)]);
  });
});
