import type { LoadLimits } from '../../load/run-closed-loop.ts';
import type { LoadResult } from '../../load/summarize-load.ts';
import type { Owner } from './populate-memories.ts';

/**
 * `recall`: all that an agent knows. `prepare`: a chat's prompt, with recall, ranks and choice.
 * `write`: another value of a key.
 */
export type MemoryOrder = {
  kind: 'recall' | 'prepare' | 'write';
  limits: LoadLimits;
  /** Each call takes any of them. */
  owners: readonly Owner[];
  /** Of `prepare`. */
  contextTokens?: number;
};

export type MemoryResult = LoadResult & { memoriesPerCall: number };
