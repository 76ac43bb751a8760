import { checkBaseline } from './baseline-check.ts';
import { boundaries } from './boundaries.ts';
import { checkCodegen } from './codegen-check.ts';
import { runTool, type Outcome } from './run-tool.ts';
import { longFiles } from './tidy/file-size.ts';
import { formatFindings, openTree } from './tree.ts';

export type Check = { name: string; run: (root: string) => Promise<Outcome> };

const toToolCheck = (name: string, command: string, args: readonly string[]): Check => ({
  name,
  run: (root) => runTool(root, command, args),
});

export const CHECKS: readonly Check[] = [
  toToolCheck('lint', 'oxlint', ['--type-aware', '--deny-warnings']),
  toToolCheck('format', 'oxfmt', ['--check', '.']),
  toToolCheck('types', 'tsc', ['-p', 'tsconfig.json']),
  toToolCheck('types of the console', 'tsc', ['-p', 'apps/console/tsconfig.json']),
  toToolCheck('proto lint', 'buf', ['lint']),
  toToolCheck('proto compatibility', 'buf', ['breaking', '--against', 'proto/baseline.json']),
  { name: 'proto baseline', run: checkBaseline },
  { name: 'generated code', run: checkCodegen },
  {
    name: 'boundaries',
    run: async (root) => {
      const findings = formatFindings(boundaries(openTree(root)));
      return { ok: findings.length === 0, output: findings.join('\n') };
    },
  },
  toToolCheck('manifests', 'node', ['tools/manifests/src/main.ts']),
];

export const runChecks = async (
  root: string,
  checks: readonly Check[],
  print: (line: string) => void,
): Promise<string[]> => {
  const failed: string[] = [];
  for (const { name, run } of checks) {
    const started = performance.now();
    const { ok, output } = await run(root).catch(toFailure);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    print(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
    if (ok) continue;
    failed.push(name);
    print(output.replaceAll(/^(?=.)/gm, '       '));
  }
  return failed;
};

const toFailure = (error: unknown): Outcome => ({
  ok: false,
  output: error instanceof Error ? (error.stack ?? error.message) : String(error),
});

export const longFileNote = (root: string): string => {
  const long = formatFindings(longFiles(openTree(root)));
  return long.length === 0
    ? ''
    : `note   long files:\n${long.map((l) => `       ${l}`).join('\n')}`;
};
