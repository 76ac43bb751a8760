import { AsyncLocalStorage } from 'node:async_hooks';

/** The test file on whose behalf code runs: files of a worker share its process. */
export const runningFile = new AsyncLocalStorage<unknown>();
