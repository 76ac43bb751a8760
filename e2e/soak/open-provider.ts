import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AbortWindow } from './soak-call.ts';

export type ReceivedCall = {
  id: number;
  /** SHA-256 of the exact bytes of the request. */
  sha256: string;
  phase: AbortWindow;
  ending: 'open' | 'complete' | 'aborted';
  /** When the call ended, in milliseconds since the epoch; 0 while it is open. */
  endedAt: number;
};

/** Number of open calls and connections of the provider, and of all received calls. */
export type UpstreamCounts = { active: number; sockets: number; received: number };

export type SoakProvider = {
  /** Base URL without the version. */
  url: string;
  counts: () => Promise<UpstreamCounts>;
  received: () => Promise<ReceivedCall[]>;
  close: () => Promise<void>;
};

const HOST = fileURLToPath(new URL('./provider-host.ts', import.meta.url));

/** Starts the process; resolves once it is ready. */
export const openProvider = async (): Promise<SoakProvider> => {
  const child = fork(HOST, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => {
    throw new Error(`The provider of the soak ended with ${String(code)}.`);
  });
  // Once the process is ready, its end is expected.
  failed.catch(() => {});
  const [{ port }] = (await Promise.race([once(child, 'message'), failed])) as [{ port: number }];
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  return {
    url,
    counts: async () => {
      const { sockets, ...counts } = (await ask('/soak/counts')) as UpstreamCounts;
      // One connection belongs to this request itself.
      return { ...counts, sockets: sockets - 1 };
    },
    received: async () => (await ask('/soak/calls')) as ReceivedCall[],
    close: async () => {
      child.disconnect();
      await ended;
    },
  };
};
