import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import type { ScanAside } from '../domain/privacy/create-detectors.ts';
import type { ScanReply, ScanRequest } from './scan-worker-thread.ts';

/** A thread that reads long texts, so that everybody else's calls go on meanwhile. */
export type ScanWorker = { scan: ScanAside; close: () => Promise<void> };

type Waiting = {
  resolve: (spans: Extract<ScanReply, { spans: unknown }>['spans']) => void;
  reject: (error: unknown) => void;
  length: number;
};

/** UTF-16 units that may wait for the thread; who brings more is asked to come again. */
const WAITING_MAX = 128 * 1024 * 1024;

/** Starts the thread with the first text, and a new one should it die. */
export const createScanWorker = (): ScanWorker => {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;
  let waitingLength = 0;

  const settle = (id: number): Waiting | undefined => {
    const one = waiting.get(id);
    waiting.delete(id);
    waitingLength -= one?.length ?? 0;
    return one;
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./scan-worker-thread.ts', import.meta.url));
    // A service that stops does not wait for it.
    started.unref();
    started.on('message', (reply: ScanReply) => {
      const one = settle(reply.id);
      if ('spans' in reply) one?.resolve(reply.spans);
      else one?.reject(new Error(`The detector failed: ${reply.fault}`));
    });
    const onDeath = (cause: unknown): void => {
      // One that died with an error exits as well, when another may have taken its place.
      if (worker !== started) return;
      worker = undefined;
      for (const id of waiting.keys()) {
        settle(id)?.reject(unavailable('The reader of long texts died; try again.', cause));
      }
    };
    started.on('error', onDeath);
    started.on('exit', onDeath);
    return started;
  };
  return {
    scan: (settings, texts) =>
      new Promise((resolve, reject) => {
        const length = texts.reduce((sum, text) => sum + text.length, 0);
        if (waitingLength + length > WAITING_MAX) {
          reject(unavailable('Too many long texts wait to be read; try again.'));
          return;
        }
        lastId += 1;
        waitingLength += length;
        waiting.set(lastId, { resolve, reject, length });
        worker ??= start();
        const request: ScanRequest = { id: lastId, settings, texts };
        worker.postMessage(request);
      }),
    close: async () => {
      await worker?.terminate();
    },
  };
};
