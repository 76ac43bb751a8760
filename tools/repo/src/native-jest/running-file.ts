import { AsyncLocalStorage } from 'node:async_hooks';

/** Identifies the test file whose code is running. The files of a worker share its process. */
export const runningFile = new AsyncLocalStorage<unknown>();
