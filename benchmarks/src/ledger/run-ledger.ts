import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@witan/service-kit';
import { withClient } from '@witan/stack/postgres/ensure-database';
import { recomputeLog } from '@witan/testing/recompute-log';
import type { Bench, BenchContext } from '../bench.ts';
import { checkChain } from '../chain/check-chain.ts';
import type { ChainCheck } from '../chain/check-chain.ts';
import { readLedger, verifyLedger } from '../chain/verify-ledger.ts';
import type { LedgerCheck } from '../chain/verify-ledger.ts';
import { measureRounds, measureRow, runWarmUp } from '../measure-row.ts';
import type { Target } from '../measure-row.ts';
import type { Metering } from '../metering.ts';
import { readPostgresSettings } from '../database.ts';
import { toLoadTable } from '../report/print-report.ts';
import { summarizeRows } from '../report/summarize-rows.ts';
import type { RawRow } from '../report/summarize-rows.ts';
import { CALL_TOKENS } from '../metering.ts';
import {
  compareWithInserts,
  judgeLedger,
  MANY_WORKSPACES,
  ONE_WORKSPACE,
} from './compare-with-inserts.ts';
import {
  appendTarget,
  certifyTarget,
  INSERT_CONNECTIONS_MAX,
  insertTarget,
  LOG_ORIGIN,
  openCertifier,
  openInserter,
  releaseUnused,
  openLedger,
} from './create-targets.ts';
import type { CertifierSetup, LedgerUnderTest } from './create-targets.ts';
import { createPlainTable, readChain } from './plain-table.ts';

type LedgerCase = { system: string; load: string; callers: readonly number[]; target: Target };

type LedgerSetup = {
  name: string;
  metering: Metering;
  hasLog: boolean;
  ledger: LedgerUnderTest;
  one: CertifierSetup;
  many: CertifierSetup;
};

/** The issuer that a ledger writes into certificates by default. */
const ISSUER = 'witan';
const WORKSPACES = 64;

/**
 * Measures certificates of one and of many workspaces over gRPC, unmetered, metered, and with the
 * transparency log, alternating with plain inserts; then checks the chains, ledgers and the log.
 */
export const runLedger: Bench = async (context) => {
  const { preset, stateDir, resources, log } = context;
  const unmetered = await openSetup('unmetered', {}, context);
  const metered = await openSetup('metered', { metering: 'metered' }, context);
  const logged = await openSetup('logged', { hasLog: true }, context);
  const setups = [unmetered, metered, logged];
  const inserter = await openInserter(unmetered.ledger, stateDir, resources);
  const { callers, row } = preset.ledger;
  const maxCallers = Math.max(...callers);
  const warmUp = { inFlight: maxCallers, maxMs: preset.firstWarmUpMs, maxCalls: row.callsMax };
  log('warming up the ledgers');
  for (const { one, many } of setups) {
    for (const certifierSetup of [one, many])
      await runWarmUp(certifyTarget(certifierSetup), warmUp);
  }
  const template = await createPlainTable(unmetered.ledger.postgres.adminUrl);
  const insert = insertTarget(unmetered.ledger, inserter, template);
  await runWarmUp(insert, warmUp);
  const certify = (load: string, which: 'one' | 'many'): LedgerCase[] => [
    { system: 'certify', load, callers, target: certifyTarget(unmetered[which]) },
    { system: 'certify, metered', load, callers, target: certifyTarget(metered[which]) },
    { system: 'certify, logged', load, callers, target: certifyTarget(logged[which]) },
  ];
  const append = (system: string, { one }: LedgerSetup): LedgerCase => ({
    ...{ system, load: ONE_WORKSPACE, callers: [1, maxCallers], target: appendTarget(one) },
  });
  const rows = await measureAll(
    [
      { system: 'insert', load: ONE_WORKSPACE, callers, target: insert },
      append('append', unmetered),
      append('append, logged', logged),
      ...certify(ONE_WORKSPACE, 'one'),
      ...certify(MANY_WORKSPACES, 'many'),
    ],
    context,
  );
  for (const { one } of [unmetered, logged]) await releaseUnused(one);
  const checks: Record<string, unknown> = {};
  for (const setup of setups) {
    log(`checking chains and ledgers, ${setup.name}`);
    checks[setup.name] = await checkSetup(setup);
  }
  const summary = compareWithInserts(summarizeRows(rows));
  return {
    config: {
      callers,
      workspaces: WORKSPACES,
      callTokens: CALL_TOKENS,
      insertConnectionsMax: INSERT_CONNECTIONS_MAX,
      postgres: await readPostgresSettings(metered.ledger.postgres.adminUrl),
    },
    rows,
    summary,
    tables: [toLoadTable(summary)],
    checks,
    aims: judgeLedger(summary, preset),
  };
};

const openSetup = async (
  name: string,
  { metering = 'unmetered', hasLog = false }: Partial<Pick<LedgerSetup, 'metering' | 'hasLog'>>,
  context: BenchContext,
): Promise<LedgerSetup> => {
  const { resources } = context;
  const stateDir = join(context.stateDir, name);
  await mkdir(stateDir, { mode: 0o711 });
  const ledger = await openLedger({ stateDir, metering, hasLog }, resources);
  const certifier = await openCertifier(ledger, stateDir, resources);
  const shared = { ledger, certifier };
  return {
    ...{ name, metering, hasLog },
    ledger,
    one: { ...shared, workspaceIds: [newId('ws')], ids: new Map() },
    many: {
      ...shared,
      workspaceIds: Array.from({ length: WORKSPACES }, () => newId('ws')),
      ids: new Map(),
    },
  };
};

const measureAll = (cases: readonly LedgerCase[], context: BenchContext): Promise<RawRow[]> => {
  const { callers: counts, row } = context.preset.ledger;
  const plan = counts.flatMap((inFlight) =>
    cases
      .filter(({ callers }) => callers.includes(inFlight))
      .map(({ system, load, target }) => ({
        label: `${system}, ${load}, ${inFlight} callers`,
        measure: async () => ({
          system,
          load,
          inFlight,
          ...(await measureRow(target, inFlight, row)),
        }),
      })),
  );
  return measureRounds(plan, context);
};

/**
 * Checks the chain of the single workspace, the chain of one of the many workspaces, and the ledger
 * of every workspace; and the log, if there is one.
 */
const checkSetup = async ({
  metering,
  hasLog,
  ledger,
  one,
  many,
}: LedgerSetup): Promise<{ chains: ChainCheck[]; ledgerCheck: LedgerCheck; log?: LogCheck }> => {
  const { adminUrl } = ledger.postgres;
  const ids = new Map([...one.ids, ...many.ids]);
  const calls = new Map([...ids].map(([workspaceId, own]) => [workspaceId, own.length]));
  const ledgerCheck = verifyLedger(await readLedger(adminUrl), { calls, metering });
  const wanted = [...calls.values()].reduce((sum, count) => sum + count * CALL_TOKENS, 0);
  if (ledgerCheck.tokens !== wanted)
    throw new Error(`${ledgerCheck.tokens} tokens entered, not ${wanted}.`);
  const chains: ChainCheck[] = [];
  for (const workspaceId of [one.workspaceIds[0]!, many.workspaceIds[0]!]) {
    const chain = { issuer: ISSUER, workspaceId };
    const own = ids.get(workspaceId) ?? [];
    const check = await readChain(adminUrl, chain, (source) => checkChain({ ...source, ids: own }));
    chains.push(check);
  }
  return { chains, ledgerCheck, ...(hasLog && { log: await checkLog(adminUrl) }) };
};

type LogCheck = { epochs: number; leaves: number };

/** Computes the log again from its certificates. Throws if it differs, or has nothing in it. */
const checkLog = async (adminUrl: string): Promise<LogCheck> => {
  const { epochs, leaves, violations } = await withClient(adminUrl, (client) =>
    recomputeLog(client, { issuer: ISSUER, origin: LOG_ORIGIN }),
  );
  if (violations.length > 0) throw new Error(`The log is wrong: ${violations.join('; ')}`);
  if (epochs === 0) throw new Error('The log has no epoch, so it was not measured.');
  return { epochs, leaves };
};
