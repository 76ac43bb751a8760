import { Agents } from './0001-agents.ts';

/** In order; each runs once. */
export const MIGRATIONS = [{ name: '0001-agents', class: Agents }];
