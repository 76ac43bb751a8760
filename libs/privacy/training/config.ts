import { fileURLToPath } from 'node:url';
import { readMeasureConfig } from '../src/cli/config.ts';

/**
 * The folder with dev.jsonl, negatives.jsonl, corpora.json and eval.mjs: an argument, or `pii` in
 * the shared data that WITAN_SHARED_DATA names, by default beside the repository.
 */
export const dataFolder = (argument: string | undefined): string => {
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  return argument ?? `${readMeasureConfig().data ?? `${repository}../shared/data`}/pii`;
};
