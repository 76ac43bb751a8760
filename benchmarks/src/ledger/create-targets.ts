import { join } from 'node:path';
import type { LoadLimits } from '../load/run-closed-loop.ts';
import type { LoadResult } from '../load/summarize-load.ts';
import type { Target } from '../measure-row.ts';
import { openProgram } from '../program/open-program.ts';
import type { Program } from '../program/open-program.ts';
import type { CertifyCommand, CertifyResult } from './certifying-caller.ts';
import type { InsertCommand } from './inserting-caller.ts';
import type { LedgerUnderTest } from './open-ledger.ts';
import type { PlainRow } from './plain-table.ts';

export type Certifier = Program<object, CertifyCommand, CertifyResult>;
export type Inserter = Program<object, InsertCommand, LoadResult>;

/** Maximum number of concurrent inserts; more backends slow PostgreSQL down on a small machine. */
export const INSERT_CONNECTIONS_MAX = 64;

export const openCertifier = (ledger: LedgerUnderTest, stateDir: string): Promise<Certifier> =>
  openProgram({
    file: 'ledger/certifying-caller.ts',
    args: [String(ledger.process.ready.grpcPort), ledger.callerKeyFile],
    logFile: join(stateDir, 'certifier.log'),
  });

/** The workspaces to certify for, and the proof ids of all certificates so far by workspace. */
export type Certifying = {
  ledger: LedgerUnderTest;
  certifier: Certifier;
  workspaceIds: readonly string[];
  ids: Map<string, string[]>;
};

export const openInserter = (ledger: LedgerUnderTest, stateDir: string): Promise<Inserter> =>
  openProgram({
    file: 'ledger/inserting-caller.ts',
    args: [ledger.postgres.adminUrl, String(INSERT_CONNECTIONS_MAX)],
    logFile: join(stateDir, 'inserter.log'),
  });

/**
 * Returns a target whose calls each make a reservation and then its certificate, like a completion.
 */
export const certifyTarget = (certifying: Certifying): Target => {
  const { ledger, certifier } = certifying;
  return {
    counted: { ledger: ledger.process.pid, postgres: ledger.postgres.pid, caller: certifier.pid },
    bystanders: {},
    run: (limits) => order('certify', limits, certifying),
  };
};

/**
 * Returns a target whose calls make a certificate only; their reservations are made before the
 * measurement.
 */
export const appendTarget = (certifying: Certifying): Target => ({
  ...certifyTarget(certifying),
  prepare: async (limits) => {
    await order('reserve', limits, certifying);
  },
  run: (limits) => order('append', limits, certifying),
});

/**
 * Releases the reservations that `append` did not use, because the ledger check permits no open
 * ones.
 */
export const releaseRest = async (certifying: Certifying): Promise<void> => {
  await order('release', { inFlight: 1, maxMs: 0, maxCalls: 0 }, certifying);
};

const order = async (
  kind: CertifyCommand['kind'],
  limits: LoadLimits,
  { certifier, workspaceIds, ids }: Certifying,
): Promise<LoadResult> => {
  const answer = await certifier.ask({ kind, limits, workspaceIds });
  for (const [workspaceId, certified] of Object.entries(answer.ids)) {
    const own = ids.get(workspaceId) ?? [];
    for (const id of certified) own.push(id);
    ids.set(workspaceId, own);
  }
  return answer.result;
};

/** Returns the reference target, which inserts rows like the ledger's by plain SQL statements. */
export const insertTarget = (
  ledger: LedgerUnderTest,
  inserter: Inserter,
  like: PlainRow,
): Target => ({
  counted: { postgres: ledger.postgres.pid, caller: inserter.pid },
  bystanders: {},
  run: (limits) => inserter.ask({ limits, like }),
});
