import process from 'node:process';

export type MeasureConfig = {
  /** Contains `pii/dev.jsonl`, `pii/negatives.jsonl`, `pii/corpora.json` and `pii/eval.mjs`. */
  data: string | undefined;
  /** Has redact-pii and compromise installed. */
  peers: string | undefined;
};

/** Reads `WITAN_SHARED_DATA` and `WITAN_PEERS`. */
export function readMeasureConfig(env: NodeJS.ProcessEnv = process.env): MeasureConfig {
  return { data: env['WITAN_SHARED_DATA'], peers: env['WITAN_PEERS'] };
}
