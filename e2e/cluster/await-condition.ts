import { until } from '../faults/until.ts';

const POLL_MS = 500;

/** Polls until `condition` holds. Throws an error that names `what` after `limitMs`. */
export const awaitCondition = async (
  what: string,
  limitMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<void> => {
  const holds = await until(limitMs, condition, POLL_MS);
  if (holds === undefined) throw new Error(`Not within ${limitMs / 1_000} s: ${what}`);
};
