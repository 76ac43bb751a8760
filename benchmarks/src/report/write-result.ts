import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const RESULTS = fileURLToPath(new URL('../../results/', import.meta.url));

/**
 * Writes `benchmarks/results/<name>-<date>.json` and returns its path from the repository's root.
 */
export const writeResult = async (
  name: string,
  startedAt: Date,
  result: object,
): Promise<string> => {
  const file = `${name}-${startedAt.toISOString().slice(0, 10)}.json`;
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, file), `${JSON.stringify(result, round, 2)}\n`);
  return `benchmarks/results/${file}`;
};

const DIGITS = 5;

/** A replacer for JSON.stringify that rounds numbers to the precision of the measurements. */
const round = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
