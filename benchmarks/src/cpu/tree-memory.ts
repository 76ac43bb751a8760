import { readFileSync } from 'node:fs';
import { groupTrees, readProcessTable } from './cpu-account.ts';

/** Resident memory in MiB by process name. */
export type MemoryMib = Readonly<Record<string, number>>;

/**
 * Returns the proportional resident memory (PSS) of each named process with its descendants: a page
 * that several processes share is divided among them, so that no page is counted twice.
 */
export const readTreeMemory = (roots: Readonly<Record<string, number>>): MemoryMib =>
  Object.fromEntries(
    Object.entries(groupTrees(readProcessTable(), roots)).map(([name, tree]) => [
      name,
      tree.reduce((sum, { pid }) => sum + readPssMib(pid), 0),
    ]),
  );

const readPssMib = (pid: number): number => {
  try {
    return parsePssMib(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  } catch (error) {
    // A short-lived process has ended since the process table was read.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
    throw error;
  }
};

const KIB_PER_MIB = 1_024;

/** Parses `/proc/<pid>/smaps_rollup`. Throws on other text. */
export const parsePssMib = (text: string): number => {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(text)?.[1];
  if (kib === undefined) {
    throw new Error(`This is not the text of a /proc/<pid>/smaps_rollup: ${text.slice(0, 80)}`);
  }
  return Number(kib) / KIB_PER_MIB;
};
