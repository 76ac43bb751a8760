import { createDetectorFactory } from '@witan/privacy';
import type { CategoryCounts, MaskedValue, Steps } from '@witan/privacy';
import { serveTasksInSteps } from '@witan/service-kit/tasks';
import { createDetectors, maskJsonInSteps } from '../mask-json.ts';
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

serveTasksInSteps(function* (task: MaskTask): Steps<MaskReply> {
  try {
    const { table, ...masked } = yield* maskJsonInSteps(task, detectorFor);
    return { ...masked, entries: [...table.names()].map((name) => [name, table.find(name)!]) };
  } catch (error) {
    // A detector's error message may quote the text; its name does not.
    return { errorName: error instanceof Error ? error.name : typeof error };
  }
});
