import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine } from '../describe-machine.ts';

const RESULTS = fileURLToPath(new URL('./results/', import.meta.url));
const DAY_LENGTH = 10;

/** Writes the figures of one part of the fault run to the result file of that part and today. */
export const writeResult = async (part: string, figures: object): Promise<void> => {
  const date = new Date().toISOString();
  const report = { date, machine: await describeMachine(), ...figures };
  await mkdir(RESULTS, { recursive: true });
  const file = `${RESULTS}${part}-${date.slice(0, DAY_LENGTH)}.json`;
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`);
};
