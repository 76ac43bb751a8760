import { join } from 'node:path';
import type { LoadResult } from '../load/summarize-load.ts';
import type { Target } from '../measure-row.ts';
import { openProgram } from '../program/open-program.ts';
import type { Program } from '../program/open-program.ts';
import type { CertifyOrder, CertifyResult } from './certifying-caller.ts';
import type { InsertOrder } from './inserting-caller.ts';
import type { LedgerUnderTest } from './open-ledger.ts';
import type { PlainRow } from './plain-table.ts';

export type Certifier = Program<object, CertifyOrder, CertifyResult>;
export type Inserter = Program<object, InsertOrder, LoadResult>;

/** Backends that insert at the same time: more make PostgreSQL slower on a small machine. */
export const INSERT_CONNECTIONS_MAX = 64;

/** The process that certifies on the chain of one workspace. */
export const openCertifier = (
  ledger: LedgerUnderTest,
  workspaceId: string,
  stateDir: string,
): Promise<Certifier> =>
  openProgram({
    file: 'ledger/certifying-caller.ts',
    args: [String(ledger.process.ready.grpcPort), ledger.callerKeyFile, workspaceId],
    logFile: join(stateDir, 'certifier.log'),
  });

/** The process that inserts the same rows plainly. */
export const openInserter = (ledger: LedgerUnderTest, stateDir: string): Promise<Inserter> =>
  openProgram({
    file: 'ledger/inserting-caller.ts',
    args: [ledger.postgres.adminUrl, String(INSERT_CONNECTIONS_MAX)],
    logFile: join(stateDir, 'inserter.log'),
  });

/**
 * A call is a durable reservation and then a durable certificate, as a completion makes them. The
 * proof ids of all certificates are added to `ids`.
 */
export const certifyTarget = (
  ledger: LedgerUnderTest,
  certifier: Certifier,
  ids: string[],
): Target => ({
  counted: { ledger: ledger.process.pid, postgres: ledger.postgres.pid, caller: certifier.pid },
  bystanders: {},
  run: async (limits) => {
    const answer = await certifier.ask({ kind: 'certify', limits });
    for (const id of answer.ids) ids.push(id);
    return answer.result;
  },
});

/** The second half alone: reservations are made before the clock starts. */
export const appendTarget = (
  ledger: LedgerUnderTest,
  certifier: Certifier,
  ids: string[],
): Target => ({
  ...certifyTarget(ledger, certifier, ids),
  prepare: async (limits) => {
    await certifier.ask({ kind: 'reserve', limits });
  },
  run: async (limits) => {
    const answer = await certifier.ask({ kind: 'append', limits });
    for (const id of answer.ids) ids.push(id);
    return answer.result;
  },
});

/** The same rows without a ledger. */
export const insertTarget = (
  ledger: LedgerUnderTest,
  inserter: Inserter,
  like: PlainRow,
): Target => ({
  counted: { postgres: ledger.postgres.pid, caller: inserter.pid },
  bystanders: {},
  run: (limits) => inserter.ask({ limits, like }),
});
