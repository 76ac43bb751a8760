import type { Owner } from './populate-memories.ts';

/** Draws at random, so that PostgreSQL's cache does not help. */
export const pickOwner = (owners: readonly Owner[]): Owner =>
  owners[Math.floor(Math.random() * owners.length)]!;
