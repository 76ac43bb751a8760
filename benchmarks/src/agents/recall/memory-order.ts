import type { LoadLimits } from '../../load/run-closed-loop.ts';
import type { LoadResult } from '../../load/summarize-load.ts';
import type { Owner } from './populate-memories.ts';

/**
 * `recall`: all memories of an agent. `prepare`: a chat's prompt with recall, ranking and
 * selection. `write`: a new value for an existing key.
 */
export type MemoryOrder = {
  kind: 'recall' | 'prepare' | 'write';
  limits: LoadLimits;
  /** One is drawn per call. */
  owners: readonly Owner[];
  /** For `prepare`. */
  contextTokens?: number;
};

export type MemoryResult = LoadResult & { memoriesPerCall: number };
