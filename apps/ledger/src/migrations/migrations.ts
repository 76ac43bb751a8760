import { FunctionsMoved, functionMigrations, readSqlFunctions } from '@witan/service-kit';
import { Books } from './0001-books.ts';
import { Accounts } from './0003-accounts.ts';
import { SettleAs } from './0005-settle-as.ts';
import { CommitColumns } from './0006-commit-columns.ts';
import { CallColumns } from './0007-call-columns.ts';

export const MIGRATIONS = [
  { name: '0001-books', class: Books },
  { name: '0002-write-books', class: FunctionsMoved },
  { name: '0003-accounts', class: Accounts },
  { name: '0004-write-metered-books', class: FunctionsMoved },
  { name: '0005-settle-as', class: SettleAs },
  { name: '0006-commit-columns', class: CommitColumns },
  { name: '0007-call-columns', class: CallColumns },
  ...functionMigrations(readSqlFunctions(new URL('../write/store/', import.meta.url))),
];
