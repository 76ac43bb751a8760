import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AbortWindow } from './soak-call.ts';

export type ReceivedCall = {
  id: number;
  /** SHA-256 of the exact request body. */
  sha256: string;
  phase: AbortWindow;
  ending: 'open' | 'complete' | 'aborted';
  /** Time at which the call ended, in milliseconds since the epoch; 0 while it is open. */
  endedAt: number;
};

/**
 * State of the provider: number of open calls, of open connections, and of all calls received so
 * far.
 */
export type UpstreamCounts = { active: number; sockets: number; received: number };

export type SoakProvider = {
  /** Base URL of the provider without `/v1`. */
  url: string;
  counts: () => Promise<UpstreamCounts>;
  received: () => Promise<ReceivedCall[]>;
  close: () => Promise<void>;
};

const PROVIDER_PROGRAM = fileURLToPath(new URL('./provider-host.ts', import.meta.url));

/** Starts the provider in its own process; resolves once it is ready. */
export const openProvider = async (): Promise<SoakProvider> => {
  const child = fork(PROVIDER_PROGRAM, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => {
    throw new Error(`The provider of the soak test exited with ${String(code)}.`);
  });
  // The process may end after the start; then this rejection must not be reported as unhandled.
  failed.catch(() => {});
  const [{ port }] = (await Promise.race([once(child, 'message'), failed])) as [{ port: number }];
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  return {
    url,
    counts: async () => {
      const { sockets, ...counts } = (await ask('/soak/counts')) as UpstreamCounts;
      // The request for the counts uses one of the connections.
      return { ...counts, sockets: sockets - 1 };
    },
    received: async () => (await ask('/soak/calls')) as ReceivedCall[],
    close: async () => {
      child.disconnect();
      await ended;
    },
  };
};
