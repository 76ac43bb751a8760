import { setTimeout as pause } from 'node:timers/promises';
import type { ReceivedRequest, Receiver } from '@witan/testing';
import { until } from './until.ts';

const LIMIT_MS = 30_000;
/** Time in which a superfluous request would arrive, in milliseconds. */
const AFTER_MS = 500;

/**
 * Waits until `expectedCount` requests to a path have arrived or 30 s have passed, and then for
 * superfluous requests. Returns all requests to the path.
 */
export const untilReceived = async (
  receiver: Receiver,
  path: string,
  expectedCount: number,
): Promise<readonly ReceivedRequest[]> => {
  await until(LIMIT_MS, () => receiver.requestsOf(path).length >= expectedCount);
  await pause(AFTER_MS);
  return receiver.requestsOf(path);
};
