import type { CallCheck, CallEvidence } from './check-call.ts';

/** A body of 32 MiB takes some seconds. */
const VERIFY_TIMEOUT_MS = 60_000;

/** Makes all checks of a call in a worker, so that the page stays responsive. */
export const verifyCall = async (evidence: CallEvidence): Promise<CallCheck[]> => {
  const worker = new Worker(new URL('./verify-worker.ts', import.meta.url), { type: 'module' });
  try {
    return await new Promise<CallCheck[]>((resolve, reject) => {
      const signal = AbortSignal.timeout(VERIFY_TIMEOUT_MS);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      worker.addEventListener('message', ({ data }: MessageEvent<CallCheck[]>) => resolve(data));
      worker.addEventListener('error', ({ message }) => reject(new Error(message)));
      worker.postMessage(evidence);
    });
  } finally {
    worker.terminate();
  }
};
