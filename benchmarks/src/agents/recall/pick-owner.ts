import type { Owner } from './populate-memories.ts';

/** One of them, any: what PostgreSQL has just read is no help. */
export const pickOwner = (owners: readonly Owner[]): Owner =>
  owners[Math.floor(Math.random() * owners.length)]!;
