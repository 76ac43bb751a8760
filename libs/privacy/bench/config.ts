import process from 'node:process';
import { fileURLToPath } from 'node:url';

type MeasureConfig = {
  /**
   * Folder that contains `pii/dev.jsonl`, `pii/negatives.jsonl`, `pii/corpora.json` and
   * `pii/eval.mjs`.
   */
  data: string | undefined;
  peers: string | undefined;
};

export function readMeasureConfig(env: NodeJS.ProcessEnv = process.env): MeasureConfig {
  return { data: env['WITAN_SHARED_DATA'], peers: env['WITAN_PEERS'] };
}

/**
 * Returns the folder that contains dev.jsonl, negatives.jsonl, corpora.json and eval.mjs:
 * `argument`, or `pii` in the folder that WITAN_SHARED_DATA names (by default ../shared/data beside
 * the repository).
 */
export const dataFolder = (argument: string | undefined): string => {
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  return argument ?? `${readMeasureConfig().data ?? `${repository}../shared/data`}/pii`;
};
