import type { SystemFile } from '@witan/stack';
import { driveWorkers } from '../drive-workers.ts';
import type { Load } from '../drive-workers.ts';
import type { Random } from '../random.ts';
import { runCall } from './run-call.ts';
import type { CallRecord } from './run-call.ts';

/**
 * Keeps `inFlight` calls in flight until stopped, about half of them streamed, each with a unique
 * body.
 */
export const driveCalls = (
  system: Pick<SystemFile, 'baseUrl' | 'apiKey'>,
  { inFlight, random, name }: { inFlight: number; random: Random; name: string },
): Load<CallRecord> => {
  const makeCall = (number: number): Promise<CallRecord> =>
    runCall(system, { content: `${name} call ${number}`, isStreamed: random.next() < 0.5 });
  const workers = Array.from({ length: inFlight }, () => makeCall);
  return driveWorkers(workers, ({ outcome }) => outcome !== 'complete');
};
