import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Outcome } from './run-tool.ts';

type Baseline = { file: readonly { name: string }[] };

/**
 * Checks that proto/baseline.json lists every contract. `buf breaking` ignores contracts that are
 * not listed, so they could change incompatibly.
 */
export const checkBaseline = async (root: string): Promise<Outcome> => {
  const folder = join(root, 'proto');
  const file = join(folder, 'baseline.json');
  if (!existsSync(file)) return { ok: false, output: 'There is no proto/baseline.json.' };
  const { file: known } = JSON.parse(readFileSync(file, 'utf8')) as Baseline;
  const names = new Set(known.map(({ name }) => name));
  const missing = (await readdir(folder, { recursive: true }))
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => path.endsWith('.proto') && !names.has(path))
    .toSorted();
  if (missing.length === 0) return { ok: true, output: '' };
  const advice = 'The baseline lacks these contracts: run `npm run baseline` and commit.';
  return { ok: false, output: [...missing, advice].join('\n') };
};
