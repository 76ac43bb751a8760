import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LeavingWindow } from './soak-call.ts';

/** A call that arrived whole at the provider. */
export type ReceivedCall = {
  id: number;
  /** SHA-256 of its exact bytes. */
  sha256: string;
  /** How far its answer came. */
  phase: LeavingWindow;
  ending: 'open' | 'complete' | 'aborted';
  /** Milliseconds since the epoch; 0 while it is open. */
  endedAt: number;
};

/** What the provider holds now: calls that it still answers, and connections; and all calls. */
export type UpstreamCounts = { active: number; sockets: number; received: number };

/** The provider, in a process of its own. */
export type SoakProvider = {
  /** Without the version. */
  url: string;
  counts: () => Promise<UpstreamCounts>;
  received: () => Promise<ReceivedCall[]>;
  close: () => Promise<void>;
};

const HOST = fileURLToPath(new URL('./provider-host.ts', import.meta.url));

/** Starts it and answers once it takes calls. */
export const openProvider = async (): Promise<SoakProvider> => {
  const child = fork(HOST, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => {
    throw new Error(`The provider of the soak ended with ${String(code)}.`);
  });
  // Later it is the end that was asked for.
  failed.catch(() => {});
  const [{ port }] = (await Promise.race([once(child, 'message'), failed])) as [{ port: number }];
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  return {
    url,
    counts: async () => {
      const { sockets, ...counts } = (await ask('/soak/counts')) as UpstreamCounts;
      // One of them is the question's own.
      return { ...counts, sockets: sockets - 1 };
    },
    received: async () => (await ask('/soak/calls')) as ReceivedCall[],
    close: async () => {
      child.disconnect();
      await ended;
    },
  };
};
