import { fileURLToPath } from 'node:url';
import { readMeasureConfig } from '../src/cli/config.ts';

/**
 * Returns the folder with dev.jsonl, negatives.jsonl, corpora.json and eval.mjs: the argument, or
 * `pii` in WITAN_SHARED_DATA, by default beside the repository.
 */
export const dataFolder = (argument: string | undefined): string => {
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  return argument ?? `${readMeasureConfig().data ?? `${repository}../shared/data`}/pii`;
};
