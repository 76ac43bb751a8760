import { fileURLToPath } from 'node:url';
import { readFiles } from '../src/files.ts';
import { READERS } from '../src/readers.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export const FILES = readFiles(ROOT, Object.keys(READERS));
export const K8S = 'deploy/k8s';

export type Change = { path: string; from: string; to: string };

/** A change of one file, and the finding that it must cause. */
export type Mutation = readonly [what: string, change: Change, finding: RegExp];

export const toChange = (path: string, from: string, to: string): Change => ({ path, from, to });

/** Returns the files of the repository with one change. */
export const mutate = ({ path, from, to }: Change): ReadonlyMap<string, string> => {
  const text = FILES.get(path) ?? '';
  if (!text.includes(from)) throw new Error(`${path} does not say ${from}.`);
  return new Map([...FILES, [path, text.replaceAll(from, to)]]);
};
