import type { Owner } from './populate-memories.ts';

/** Returns a random owner, so that calls do not read the same cached rows. */
export const pickOwner = (owners: readonly Owner[]): Owner =>
  owners[Math.floor(Math.random() * owners.length)]!;
