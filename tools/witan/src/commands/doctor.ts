import { readServeEnv } from '../config.ts';
import type { Check, CheckState } from '../doctor/check.ts';
import { runChecks } from '../doctor/run-checks.ts';
import type { Report } from '../doctor/run-checks.ts';
import { UsageError } from '../usage.ts';

/**
 * Runs `witan doctor [--json]`: checks the installation of the environment, or that of WITAN_HOME,
 * and prints what is wrong and what to do. Returns 1 if a check failed. Changes nothing and prints
 * no secret.
 */
export const runDoctor = async (argv: readonly string[]): Promise<number> => {
  const unknown = argv.find((word) => word !== '--json');
  if (unknown !== undefined) throw new UsageError(`witan doctor takes --json, not ${unknown}.`);
  const report = await runChecks(readServeEnv(), process.versions.node);
  const failed = count(report.checks, 'fail');
  const text = argv.includes('--json')
    ? JSON.stringify({ ok: failed === 0, checks: report.checks }, undefined, 2)
    : toText(report);
  process.stdout.write(`${text}\n`);
  return failed === 0 ? 0 : 1;
};

const count = (checks: readonly Check[], state: CheckState): number =>
  checks.filter((check) => check.state === state).length;

const LABELS: Readonly<Record<CheckState, string>> = {
  ok: 'ok',
  warn: 'WARN',
  fail: 'FAIL',
  skipped: 'skip',
};
const LABEL_WIDTH = 6;

const toText = ({ title, checks }: Report): string => {
  const width = Math.max(...checks.map(({ name }) => name.length)) + 2;
  const indent = ' '.repeat(LABEL_WIDTH + width);
  const lines = checks.flatMap(({ name, state, message, advice }) => [
    `${LABELS[state].padEnd(LABEL_WIDTH)}${name.padEnd(width)}${message}`,
    ...(advice === undefined ? [] : [`${indent}${advice}`]),
  ]);
  const counts = [
    `${count(checks, 'ok')} ok`,
    `${count(checks, 'warn')} warned`,
    `${count(checks, 'fail')} failed`,
    `${count(checks, 'skipped')} skipped`,
  ];
  return [`Checks of ${title}`, '', ...lines, '', counts.join(', ')].join('\n');
};
