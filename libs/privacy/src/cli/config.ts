import process from 'node:process';

/** Folders outside the repository that `privacy:measure` works on. */
export type MeasureConfig = {
  /** Holds `pii/dev.jsonl`, `pii/negatives.jsonl`, `pii/corpora.json` and `pii/eval.mjs`. */
  data: string | undefined;
  /** Where redact-pii and compromise are installed. */
  peers: string | undefined;
};

/** `WITAN_SHARED_DATA` and `WITAN_PEERS`. */
export function readMeasureConfig(env: NodeJS.ProcessEnv = process.env): MeasureConfig {
  return { data: env['WITAN_SHARED_DATA'], peers: env['WITAN_PEERS'] };
}
