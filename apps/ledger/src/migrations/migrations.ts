import { FunctionsMoved, functionMigrations, readSqlFunctions } from '@witan/service-kit';
import { Books } from './0001-books.ts';
import { Accounts } from './0003-accounts.ts';
import { SettleAs } from './0005-settle-as.ts';
import { CommitColumns } from './0006-commit-columns.ts';
import { ScopeReadOnce } from './0007-scope-read-once.ts';
import { CallColumns } from './0008-call-columns.ts';
import { LogLosses } from './0010-log-losses.ts';
import { TransparencyLog } from './0009-transparency-log.ts';

export const MIGRATIONS = [
  { name: '0001-books', class: Books },
  { name: '0002-write-books', class: FunctionsMoved },
  { name: '0003-accounts', class: Accounts },
  { name: '0004-write-metered-books', class: FunctionsMoved },
  { name: '0005-settle-as', class: SettleAs },
  { name: '0006-commit-columns', class: CommitColumns },
  { name: '0007-scope-read-once', class: ScopeReadOnce },
  { name: '0008-call-columns', class: CallColumns },
  { name: '0009-transparency-log', class: TransparencyLog },
  { name: '0010-log-losses', class: LogLosses },
  ...functionMigrations(readSqlFunctions(new URL('../write/store/', import.meta.url))),
];
