import type { Owner } from './populate-memories.ts';

/** Draws an owner at random, so that PostgreSQL's cache does not help. */
export const pickOwner = (owners: readonly Owner[]): Owner =>
  owners[Math.floor(Math.random() * owners.length)]!;
