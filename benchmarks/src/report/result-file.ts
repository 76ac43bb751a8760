import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `benchmarks/results` of the repository. */
export const RESULTS = fileURLToPath(new URL('../../results/', import.meta.url));

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

/** A replacer for JSON.stringify that rounds fractions to five significant digits. */
const round = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;

/** Reads the newest result of a benchmark; undefined if there is none. */
export const readNewestResult = async (name: string): Promise<object | undefined> => {
  const pattern = new RegExp(`^${name}-\\d{4}-\\d{2}-\\d{2}\\.json$`);
  const newest = (await readdir(RESULTS))
    .filter((file) => pattern.test(file))
    .toSorted()
    .at(-1);
  if (newest === undefined) return undefined;
  return JSON.parse(await readFile(join(RESULTS, newest), 'utf8')) as object;
};
