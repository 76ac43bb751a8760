import process from 'node:process';

export type MeasureConfig = {
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
