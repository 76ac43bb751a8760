import { openTaskWorker } from '../app/run-in-worker.ts';
import type { ChainProgress, ChainStart } from './chain-checker.ts';
import type { CallCheck, CallEvidence } from './check-call.ts';
import type { VerifyTask } from './verify-worker.ts';

/** A worker that verifies, so that the page stays responsive. It serves one task at a time. */
export type Verifier = Disposable & {
  checkCall: (evidence: CallEvidence) => Promise<CallCheck[]>;
  /** Begins a chain; its pages follow in order. */
  startChain: (start: ChainStart) => Promise<ChainProgress>;
  checkPage: (text: string, signal: AbortSignal) => Promise<ChainProgress>;
};

/** Starts a worker; the caller disposes of it, also after a task that fails. */
export const openVerifier = (): Verifier => {
  const worker = openTaskWorker(
    new Worker(new URL('./verify-worker.ts', import.meta.url), { type: 'module' }),
  );
  const run = <Result>(task: VerifyTask, signal?: AbortSignal): Promise<Result> =>
    worker.run(task, signal);
  return {
    checkCall: (evidence) => run({ kind: 'call', evidence }),
    startChain: (start) => run({ kind: 'chain', start }),
    checkPage: (text, signal) => run({ kind: 'page', text }, signal),
    [Symbol.dispose]: () => worker[Symbol.dispose](),
  };
};
