import { parentPort } from 'node:worker_threads';
import { createDetectorFactory } from '@witan/privacy';
import type { CategoryCounts, MaskedValue } from '@witan/privacy';
import { createDetectors } from '../create-detectors.ts';
import { maskJson } from '../mask-json.ts';
import type { MaskTask } from '../mask-json.ts';

export type MaskReply =
  | {
      text: string;
      counts: CategoryCounts;
      uninspected: number;
      entries: (readonly [name: string, masked: MaskedValue])[];
    }
  | { errorName: string };

const CACHE_BYTES = 32 * 1024 * 1024;

const detectorFor = createDetectors({
  createDetector: createDetectorFactory(),
  cacheBytes: CACHE_BYTES,
});

const answer = (request: MaskTask): MaskReply => {
  try {
    const { table, ...masked } = maskJson(request, detectorFor);
    return { ...masked, entries: [...table.names()].map((name) => [name, table.find(name)!]) };
  } catch (error) {
    // A detector's error message may quote the text; its name does not.
    return { errorName: error instanceof Error ? error.name : typeof error };
  }
};

parentPort?.on('message', (request: MaskTask) => parentPort?.postMessage(answer(request)));
