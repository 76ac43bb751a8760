import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgres } from '../database.ts';
import type { Postgres } from '../database.ts';
import type { LoadLimits, LoadResult } from '../load/run-closed-loop.ts';
import type { Target } from '../measure-row.ts';
import { meteringEnv } from '../metering.ts';
import type { Metering } from '../metering.ts';
import { openProgram } from '../program/open-program.ts';
import type { Program } from '../program/open-program.ts';
import { createKeyPair, openService } from '../program/open-service.ts';
import type { ServiceUnderTest } from '../program/open-service.ts';
import type { CertifyCommand, CertifyResult } from './certifying-caller.ts';
import type { InsertCommand } from './inserting-caller.ts';
import type { PlainRow } from './plain-table.ts';

export type Certifier = Program<object, CertifyCommand, CertifyResult>;
export type Inserter = Program<object, InsertCommand, LoadResult>;

/** Maximum number of concurrent inserts; more backends slow PostgreSQL down on a small machine. */
export const INSERT_CONNECTIONS_MAX = 64;

export const openCertifier = (
  ledger: LedgerUnderTest,
  stateDir: string,
  resources: AsyncDisposableStack,
): Promise<Certifier> => {
  const args = [String(ledger.process.ready.grpcPort), ledger.callerKeyFile];
  return openProgram({ file: 'ledger/certifying-caller.ts', args, stateDir }, resources);
};

/** The workspaces to certify for, and the proof ids of each workspace's certificates so far. */
export type CertifierSetup = {
  ledger: LedgerUnderTest;
  certifier: Certifier;
  workspaceIds: readonly string[];
  ids: Map<string, string[]>;
};

export const openInserter = (
  ledger: LedgerUnderTest,
  stateDir: string,
  resources: AsyncDisposableStack,
): Promise<Inserter> => {
  const args = [ledger.postgres.adminUrl, String(INSERT_CONNECTIONS_MAX)];
  return openProgram({ file: 'ledger/inserting-caller.ts', args, stateDir }, resources);
};

/**
 * Returns a target whose calls each make a reservation and then its certificate, like a completion.
 */
export const certifyTarget = (certifierSetup: CertifierSetup): Target => {
  const { ledger, certifier } = certifierSetup;
  return {
    counted: { ledger: ledger.process.pid, postgres: ledger.postgres.pid, caller: certifier.pid },
    bystanders: {},
    run: (limits) => sendOrder('certify', limits, certifierSetup),
  };
};

/**
 * Returns a target whose calls make only a certificate; the reservations are made before the
 * measurement.
 */
export const appendTarget = (certifierSetup: CertifierSetup): Target => ({
  ...certifyTarget(certifierSetup),
  prepare: async (limits) => {
    await sendOrder('reserve', limits, certifierSetup);
  },
  run: (limits) => sendOrder('append', limits, certifierSetup),
});

/**
 * Releases the reservations that `append` did not use, because the ledger check fails if a
 * reservation is open.
 */
export const releaseUnused = async (certifierSetup: CertifierSetup): Promise<void> => {
  await sendOrder('release', { inFlight: 1, maxMs: 0, maxCalls: 0 }, certifierSetup);
};

const sendOrder = async (
  kind: CertifyCommand['kind'],
  limits: LoadLimits,
  { certifier, workspaceIds, ids }: CertifierSetup,
): Promise<LoadResult> => {
  const answer = await certifier.execute({ kind, limits, workspaceIds });
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
  template: PlainRow,
): Target => ({
  counted: { postgres: ledger.postgres.pid, caller: inserter.pid },
  bystanders: {},
  run: (limits) => inserter.execute({ limits, template }),
});

export type LedgerUnderTest = ServiceUnderTest<object> & { postgres: Postgres };

export type LedgerOptions = {
  stateDir: string;
  metering: Metering;
  /** The transparency log is on, with its default interval and without witnesses. */
  hasLog?: boolean;
  profileDir?: string;
};

/** Origin of the log of a ledger that has one. */
export const LOG_ORIGIN = 'localhost/bench';

/**
 * Starts PostgreSQL and the ledger. The benchmark calls the ledger as the llm-gateway, the only
 * service that may call `LedgerService.Write`.
 */
export const openLedger = async (
  { stateDir, metering, hasLog = false, profileDir }: LedgerOptions,
  resources: AsyncDisposableStack,
): Promise<LedgerUnderTest> => {
  const postgres = await openPostgres({ stateDir, services: ['ledger'] }, resources);
  const writeKey = async (name: string): Promise<string> => {
    const file = join(stateDir, name);
    await writeFile(file, createKeyPair().privateKey, { mode: 0o600 });
    return file;
  };
  const env = {
    ...meteringEnv(metering),
    DATABASE_URL: postgres.urls['ledger']!,
    WITAN_SIGNING_KEY_FILE: await writeKey('signing.pem'),
    ...(hasLog && {
      WITAN_LOG_ORIGIN: LOG_ORIGIN,
      WITAN_LOG_KEY_FILE: await writeKey('log.pem'),
    }),
  };
  const options = { service: 'ledger', caller: 'llm-gateway', stateDir, env, profileDir } as const;
  return { ...(await openService(options, resources)), postgres };
};
