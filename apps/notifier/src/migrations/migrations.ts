import { FunctionsMoved, functionMigrations, readSqlFunctions } from '@witan/service-kit';
import { Webhooks } from './0001-webhooks.ts';
import { Traces } from './0005-traces.ts';
import { AttemptColumns } from './0006-attempt-columns.ts';
import { RetrySchedules } from './0007-retry-schedules.ts';
import { RecentEvents } from './0008-recent-events.ts';

export const MIGRATIONS = [
  { name: '0001-webhooks', class: Webhooks },
  { name: '0002-turns', class: FunctionsMoved },
  { name: '0003-bookings', class: FunctionsMoved },
  { name: '0004-lock-order', class: FunctionsMoved },
  { name: '0005-traces', class: Traces },
  { name: '0006-attempt-columns', class: AttemptColumns },
  { name: '0007-retry-schedules', class: RetrySchedules },
  { name: '0008-recent-events', class: RecentEvents },
  ...functionMigrations(readSqlFunctions(new URL('../delivery/store/', import.meta.url))),
];
