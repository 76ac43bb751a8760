import { setTimeout as pause } from 'node:timers/promises';
import type { ReceivedRequest, Receiver } from '@witan/testing';

const LIMIT_MS = 30_000;
const POLL_MS = 100;
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
  const listReceived = (): readonly ReceivedRequest[] => receiver.requestsOf(path);
  for (
    const until = Date.now() + LIMIT_MS;
    Date.now() < until && listReceived().length < expectedCount;
  ) {
    await pause(POLL_MS);
  }
  await pause(AFTER_MS);
  return listReceived();
};
