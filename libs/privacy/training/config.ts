import { fileURLToPath } from 'node:url';
import { readMeasureConfig } from '../src/cli/config.ts';

/**
 * Returns the folder that contains dev.jsonl, negatives.jsonl, corpora.json and eval.mjs:
 * `argument`, or `pii` in the folder that WITAN_SHARED_DATA names (by default ../shared/data beside
 * the repository).
 */
export const dataFolder = (argument: string | undefined): string => {
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  return argument ?? `${readMeasureConfig().data ?? `${repository}../shared/data`}/pii`;
};
