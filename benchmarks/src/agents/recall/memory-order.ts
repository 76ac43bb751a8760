import type { LoadLimits } from '../../load/run-closed-loop.ts';
import type { LoadResult } from '../../load/summarize-load.ts';
import type { Owner } from './populate-memories.ts';

/**
 * `recall`: all memories of an agent. `prepare`: a chat's prompt with recall, ranking and
 * selection. `write`: a new value for an existing key.
 */
export type MemoryCommand = {
  kind: 'recall' | 'prepare' | 'write';
  limits: LoadLimits;
  /** The owners from which each call draws one. */
  owners: readonly Owner[];
  /** The size of the context window; only for `prepare`. */
  contextTokens?: number;
};

export type MemoryResult = LoadResult & { memoriesPerCall: number };
