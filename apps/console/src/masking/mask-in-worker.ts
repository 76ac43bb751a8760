import { runInWorker } from '../app/run-in-worker.ts';
import type { MaskTask, Stretch } from './mask-text.ts';

/** Masks a text in a worker, which loads the model of names; the text does not leave the page. */
export const maskInWorker = (task: MaskTask): Promise<Stretch[]> =>
  runInWorker(new Worker(new URL('./mask-worker.ts', import.meta.url), { type: 'module' }), task);
