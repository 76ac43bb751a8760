import type { LoadLimits } from '../../load/run-closed-loop.ts';
import type { LoadResult } from '../../load/summarize-load.ts';
import type { MemoryOwner } from './populate-memories.ts';

/**
 * `recall` reads all memories of an agent. `prepare` also ranks and selects them for a chat prompt.
 * `write` stores a new value for an existing key.
 */
export type MemoryCommand = {
  kind: 'recall' | 'prepare' | 'write';
  limits: LoadLimits;
  /** Agents with memories; each call uses a random one. */
  owners: readonly MemoryOwner[];
  /** Size of the model's context window in tokens; only for `prepare`. */
  contextTokens?: number;
};

export type MemoryResult = LoadResult & { memoriesPerCall: number };

/** Returns a random owner, so that calls do not read the same cached rows. */
export const pickOwner = (owners: readonly MemoryOwner[]): MemoryOwner =>
  owners[Math.floor(Math.random() * owners.length)]!;
