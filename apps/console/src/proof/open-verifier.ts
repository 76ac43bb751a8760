import type { Requests } from './verify-worker.ts';

/** Maximum duration of one request, in milliseconds. A body of 32 MiB takes some seconds. */
const VERIFY_TIMEOUT_MS = 60_000;

/** A worker that verifies, so that the page stays responsive. It serves one request at a time. */
export type Verifier = Disposable & {
  ask: <Name extends keyof Requests>(
    name: Name,
    input: Requests[Name]['input'],
    signal?: AbortSignal,
  ) => Promise<Requests[Name]['output']>;
};

/** Starts a worker; the caller disposes of it. A request that fails or is aborted ends it. */
export const openVerifier = (): Verifier => {
  const worker = new Worker(new URL('./verify-worker.ts', import.meta.url), { type: 'module' });
  return {
    ask: async (name, input, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<Requests[typeof name]['output']>();
      const timeout = AbortSignal.timeout(VERIFY_TIMEOUT_MS);
      const aborted = signal ? AbortSignal.any([signal, timeout]) : timeout;
      const settled = new AbortController();
      const once = { once: true, signal: settled.signal };
      aborted.addEventListener('abort', () => reject(aborted.reason as Error), once);
      worker.addEventListener('message', ({ data }: MessageEvent) => resolve(data as never), once);
      worker.addEventListener('error', ({ message }) => reject(new Error(message)), once);
      try {
        worker.postMessage({ name, input });
        return await promise;
      } finally {
        settled.abort();
      }
    },
    [Symbol.dispose]: () => worker.terminate(),
  };
};
