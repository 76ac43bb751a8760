import { Webhooks } from './0001-webhooks.ts';
import { Turns } from './0002-turns.ts';
import { Bookings } from './0003-bookings.ts';
import { LockOrder } from './0004-lock-order.ts';
import { Traces } from './0005-traces.ts';

export const MIGRATIONS = [
  { name: '0001-webhooks', class: Webhooks },
  { name: '0002-turns', class: Turns },
  { name: '0003-bookings', class: Bookings },
  { name: '0004-lock-order', class: LockOrder },
  { name: '0005-traces', class: Traces },
];
