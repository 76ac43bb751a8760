import { runInWorker } from '../app/run-in-worker.ts';
import type { CallCheck, CallEvidence } from './check-call.ts';

/** Makes all checks of a call in a worker, so that the page stays responsive. */
export const verifyCall = (evidence: CallEvidence): Promise<CallCheck[]> =>
  runInWorker(
    new Worker(new URL('./verify-worker.ts', import.meta.url), { type: 'module' }),
    evidence,
  );
