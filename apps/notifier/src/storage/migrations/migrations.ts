import { Webhooks } from './0001-webhooks.ts';
import { Turns } from './0002-turns.ts';

/** The notifier's schema, step by step. */
export const MIGRATIONS = [
  { name: '0001-webhooks', class: Webhooks },
  { name: '0002-turns', class: Turns },
];
