import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine } from '../describe-machine.ts';

const E2E = new URL('../', import.meta.url);
const DAY_LENGTH = 10;

/**
 * Writes figures to the result file of today in `folder`, which is relative to `e2e/`, and returns
 * its path. `prefix` distinguishes result files of one day.
 */
export const writeResult = async (
  { folder, prefix = '' }: { folder: string; prefix?: string },
  figures: object,
): Promise<string> => {
  const date = new Date().toISOString();
  const report = { date, machine: await describeMachine(), ...figures };
  await mkdir(new URL(`${folder}/`, E2E), { recursive: true });
  const path = `${folder}/${prefix}${date.slice(0, DAY_LENGTH)}.json`;
  await writeFile(
    fileURLToPath(new URL(path, E2E)),
    `${JSON.stringify(report, roundFractions, 2)}\n`,
  );
  return `e2e/${path}`;
};

const DIGITS = 5;

/** Rounds fractions to five significant digits; a replacer for `JSON.stringify`. */
const roundFractions = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
