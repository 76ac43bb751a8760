import type { MemoryOwner } from './populate-memories.ts';

/** Returns a random owner, so that calls do not read the same cached rows. */
export const pickOwner = (owners: readonly MemoryOwner[]): MemoryOwner =>
  owners[Math.floor(Math.random() * owners.length)]!;
