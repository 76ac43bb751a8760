import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import { openPlaceholderTable } from '@witan/privacy';
import type { PrivacyDeps } from '../domain/privacy/mask-body.ts';
import type { MaskedJson, MaskTask } from '../domain/privacy/mask-json.ts';
import type { MaskReply, MaskRequest } from './mask-thread-main.ts';

/** A thread that masks long texts whole, so that everybody else's calls go on meanwhile. */
export type MaskThread = { mask: PrivacyDeps['maskAside']; close: () => Promise<void> };

type Waiting = {
  task: MaskTask;
  workspaceId: string;
  resolve: (masked: MaskedJson) => void;
  reject: (error: unknown) => void;
};

/** UTF-16 units that may wait, of one workspace and of all; who brings more may come again. */
const OWN_WAITING_MAX = 48 * 1024 * 1024;
const ALL_WAITING_MAX = 192 * 1024 * 1024;
/** A text that takes longer has stopped the thread for good, in milliseconds. */
const TASK_TIMEOUT_MS = 60_000;

/**
 * Starts the thread with the first text, and a new one should it die. Workspaces take turns, one
 * text at a time; who left is passed over.
 */
export const createMaskThread = (): MaskThread => {
  const queues = new Map<string, Waiting[]>();
  let worker: Worker | undefined;
  let running: Waiting | undefined;
  let isClosed = false;
  let lastServed: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  const waitingOf = (lists: readonly (readonly Waiting[])[]): number =>
    lists.flat().reduce((sum, { task }) => sum + task.text.length, 0);
  const finish = (): Waiting | undefined => {
    const one = running;
    running = undefined;
    clearTimeout(timer);
    return one;
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./mask-thread-main.ts', import.meta.url));
    // A service that stops does not wait for it.
    started.unref();
    started.on('message', (reply: MaskReply) => {
      const one = finish();
      if ('fault' in reply) one?.reject(Object.assign(new Error(), { name: reply.fault }));
      else {
        const { text, counts, media, entries } = reply;
        one?.resolve({ text, counts, media, table: openPlaceholderTable(entries) });
      }
      next();
    });
    const onDeath = (cause: unknown): void => {
      // One that died with an error exits as well, when another may have taken its place.
      if (worker !== started) return;
      worker = undefined;
      finish()?.reject(unavailable('The reader of long texts died; try again.', cause));
      next();
    };
    started.on('error', onDeath);
    started.on('exit', onDeath);
    return started;
  };
  /** Who came first, unless it had the turn before and others wait. */
  const choose = (): string | undefined => {
    const [first, second] = queues.keys();
    return first === lastServed ? (second ?? first) : first;
  };
  const next = (): void => {
    const workspaceId = choose();
    if (running || isClosed || workspaceId === undefined) return;
    const list = queues.get(workspaceId)!;
    const one = list.shift()!;
    queues.delete(workspaceId);
    if (list.length > 0) queues.set(workspaceId, list);
    lastServed = workspaceId;
    running = one;
    worker ??= start();
    const died = worker;
    timer = setTimeout(() => void died.terminate(), TASK_TIMEOUT_MS);
    timer.unref();
    const { text, dialect, settings, key } = one.task;
    const request: MaskRequest = { text, dialect, settings, key };
    worker.postMessage(request);
  };
  const withdraw = (one: Waiting): void => {
    const list = queues.get(one.workspaceId)?.filter((other) => other !== one) ?? [];
    if (list.length > 0) queues.set(one.workspaceId, list);
    else queues.delete(one.workspaceId);
  };
  return {
    mask: (task, { workspaceId, signal }) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const own = queues.get(workspaceId) ?? [];
        const length = task.text.length;
        const isFull =
          waitingOf([own]) + length > OWN_WAITING_MAX ||
          waitingOf([...queues.values()]) + length > ALL_WAITING_MAX;
        if (isFull || isClosed)
          throw unavailable('Too many long texts wait to be read; try again.');
        const one: Waiting = { task, workspaceId, resolve, reject };
        const onAbort = (): void => {
          withdraw(one);
          reject(signal.reason as unknown);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        const settled = (): void => signal.removeEventListener('abort', onAbort);
        one.resolve = (masked) => {
          settled();
          resolve(masked);
        };
        one.reject = (error) => {
          settled();
          reject(error);
        };
        queues.set(workspaceId, [...own, one]);
        next();
      }),
    close: async () => {
      isClosed = true;
      for (const list of queues.values()) {
        for (const one of list) one.reject(unavailable('The service stops; try again.'));
      }
      queues.clear();
      await worker?.terminate();
    },
  };
};
