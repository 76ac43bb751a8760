import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import {
  implement,
  limitScopedClients,
  openDatabase,
  withoutTrace,
  recordSpan,
  repeatEvery,
  toSpanLinks,
} from '@witan/service-kit';
import type { Database, Host, Log, Repetition, Service } from '@witan/service-kit';
import {
  AccountService,
  CertificateService,
  LedgerService,
  LogService,
  UsageService,
} from '@witan/contracts/services';
import type { Config } from './config.ts';
import { createLedgerWriter } from './write/ledger-writer.ts';
import type { LedgerStorage, LedgerWrite } from './write/ledger-write.ts';
import { sweepReservations } from './reservation/sweep-reservations.ts';
import { createAheadLog, createClockLog } from './signing-key/log-clock.ts';
import { ClockDifferenceError, openSigningClock } from './signing-key/signing-clock.ts';
import type { SigningClock } from './signing-key/signing-clock.ts';
import { openKeyring } from './signing-key/keyring.ts';
import type { KeyringStatus } from './signing-key/keyring.ts';
import { parseSigners } from './signing-key/signer.ts';
import { createAccountHandlers } from './account/rpc/accounts.ts';
import { createCertificateHandlers } from './chain/rpc/certificates.ts';
import { createCallHandlers } from './call/rpc/calls.ts';
import { createBundleHandlers } from './log/rpc/bundles.ts';
import { createLogHandlers } from './log/rpc/log.ts';
import type { PublicLog } from './log/rpc/log.ts';
import { readLogState } from './log/store/log-state.ts';
import type { TransparencyLog } from './log/transparency-log.ts';
import { createCallStore } from './call/store/call-store.ts';
import { createPrices } from './usage/prices.ts';
import { rollUpUsage } from './usage/roll-up-usage.ts';
import { createUsageHandlers } from './usage/rpc/usage.ts';
import { createUsageReader, createUsageRollUp } from './usage/store/usage-store.ts';
import { createLocalWrite } from './write/rpc/local-write.ts';
import { createWrite } from './write/rpc/write.ts';
import { createAccountStore, EntryEntity, AccountEntity } from './account/store/account-store.ts';
import { createLedgerStore } from './write/store/ledger-store.ts';
import {
  createCertificateStore,
  ReservationEntity,
  ChainHeadEntity,
  CertificateEntity,
} from './chain/store/certificate-store.ts';
import {
  SigningKeyEntity,
  createKeyStore,
  listSigningKeys,
  ensureIssuer,
  readDatabaseTime,
} from './signing-key/store/signing-key-store.ts';
import { findAuditViolations, readLedgerState } from './account/store/audit.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { findExpiredReservations } from './reservation/store/reservation-store.ts';
import { createLogMetrics, createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';
import { openTransparencyLog } from './log/store/open-transparency-log.ts';

export const createService = async (config: Config, host: Host): Promise<Service> => {
  const { log } = host;
  const signers = parseSigners(readFileSync(config.signingKeyFile, 'utf8'));
  const database = await openLedgerDatabase(config, log);
  await ensureIssuer(database, config.issuer);
  const keys = await openKeyring(signers, createKeyStore(database, wall), createKeyLog(log));
  const clocks = { wall, monotonic: clock, readDatabase: () => readDatabaseTime(database) };
  const signingClock = await openSigningClock(clocks, createClockLog(log));
  const certificates = createCertificateStore(database);
  const listKeys = (): ReturnType<typeof listSigningKeys> => listSigningKeys(database);
  const metrics = createMetrics(host.registry);
  const { isMetered, openingCredit, issuer } = config;
  const metering = { isMetered, openingCredit };
  const accounts = createAccountStore(database, openingCredit);
  let commits = 0;
  const writer = createLedgerWriter({
    storage: untraced(createLedgerStore(database, certificates, { issuer, metering })),
    keys,
    issuer,
    isMetered,
    clock: signingClock.now,
    onAhead: createAheadLog(log, clock),
    onCommit: (writes, milliseconds) => {
      commits += 1;
      metrics.onCommit(writes, milliseconds);
      recordCommit(writes, milliseconds);
    },
    onFailure: (err) =>
      log.error(
        { event: 'ledger_commit_failed', err },
        'A ledger commit failed, or its outcome is unknown',
      ),
  });
  const reads = limitScopedClients(database, READS);
  const transparency = await openTransparencyLog(config, database, reads);
  const stateReading = startReadingState(config, host, metrics, { database, signingClock });
  const sweeping = startSweeping(config, host, metrics, { database, writer });
  const auditing = startAuditing(config, host, metrics, database);
  const rollingUp = startRollingUp(host, reads);
  const logging =
    transparency && startLog(transparency, config, host, { database, countCommits: () => commits });
  const prices = createPrices(config.prices);
  const calls = createCallStore(reads);
  return {
    implementations: [
      implement(LedgerService, { write: createWrite(writer) }, { write: createLocalWrite(writer) }),
      implement(AccountService, createAccountHandlers(accounts, isMetered)),
      implement(CertificateService, {
        ...createCertificateHandlers({ certificates, listKeys, issuer }),
        ...createCallHandlers({ calls, prices, clock }),
        ...createBundleHandlers(transparency, { sleep, clock }),
      }),
      implement(LogService, createLogHandlers(transparency && toPublicLog(transparency, log))),
      implement(UsageService, createUsageHandlers(createUsageReader(reads), prices)),
    ],
    checks: {
      database: database.check,
      'signing-key': keys.check,
      clock: signingClock.check,
      ...(transparency && { 'transparency-log': transparency.check }),
    },
    stop: async () => {
      await logging?.stop();
      await Promise.all([sweeping.stop(), auditing.stop(), stateReading.stop(), rollingUp.stop()]);
      await writer.idle();
      await database[Symbol.asyncDispose]();
    },
  };
};

const STATE_INTERVAL_MS = 15_000;
/** Lists of calls and sums of usage leave connections of the pool to commits. */
const READS = { runningMax: 2, pendingMax: 100 };

/**
 * Returns the storage without tracing: the statements of a commit belong to no single trace,
 * because a commit serves many calls.
 */
const untraced = (storage: LedgerStorage): LedgerStorage => ({
  commit: (...args) => withoutTrace(() => storage.commit(...args)),
  loadHeads: (...args) => withoutTrace(() => storage.loadHeads(...args)),
  findCertificate: (...args) => withoutTrace(() => storage.findCertificate(...args)),
});

/**
 * Returns a function that logs the state of the keyring: first the loaded keys, then each change of
 * the current key.
 */
const createKeyLog = (log: Log): ((status: KeyringStatus) => void) => {
  let isLoaded = false;
  return (status) => {
    if (!isLoaded) log.info({ event: 'signing_keys_loaded', ...status }, 'Signing keys loaded');
    else if (status.currentKeyId !== undefined)
      log.info({ event: 'signing_key_changed', ...status }, 'Current signing key changed');
    else
      log.warn(
        { event: 'signing_key_not_loaded', ...status },
        'None of the loaded signing keys is current',
      );
    isLoaded = true;
  };
};

/**
 * Records the commit as a separate trace with links to the traces of its writes. Records nothing if
 * none of the writes has a trace.
 */
const recordCommit = (writes: readonly LedgerWrite[], durationMs: number): void => {
  const links = toSpanLinks(writes.map(({ trace = {} }) => trace));
  if (links.length === 0) return;
  const attributes = { 'witan.writes': writes.length };
  recordSpan({ name: 'commit', role: 'internal', attributes, durationMs, links });
};

const startReadingState = (
  { auditIntervalMs }: Config,
  { log }: Host,
  metrics: Metrics,
  { database, signingClock }: { database: Database; signingClock: SigningClock },
): Repetition =>
  repeatEvery(
    Math.min(STATE_INTERVAL_MS, auditIntervalMs),
    async () => {
      metrics.onStateRead(await readLedgerState(database));
      await signingClock.check();
    },
    (err: unknown) => {
      // The clock logs itself when it begins to differ.
      if (err instanceof ClockDifferenceError) return;
      log.warn(
        { event: 'ledger_metrics_query_failed', err },
        'Query for the ledger metrics failed, will retry',
      );
    },
  );

const startSweeping = (
  { sweepIntervalMs }: Config,
  { log }: Host,
  metrics: Metrics,
  { database, writer }: { database: Database; writer: ReturnType<typeof createLedgerWriter> },
): Repetition => {
  const runSweep = async (): Promise<void> => {
    const swept = await sweepReservations((max) => findExpiredReservations(database, max), writer);
    if (swept.lost + swept.released === 0) return;
    metrics.onSwept(swept);
    log.warn(
      { event: 'reservations_swept', ...swept },
      'Expired reservations were released or certified as lost',
    );
  };
  const onFailure = (err: unknown) =>
    log.warn({ event: 'reservation_sweep_failed', err }, 'Reservation sweep failed, will retry');
  return repeatEvery(sweepIntervalMs, runSweep, onFailure);
};

const startAuditing = (
  { auditIntervalMs }: Config,
  { log }: Host,
  metrics: Metrics,
  database: Database,
): Repetition => {
  const audit = async (): Promise<void> => {
    const violations = await findAuditViolations(database);
    if (!violations) return;
    metrics.onAudited(violations);
    if (Object.values(violations).some((count) => count > 0)) {
      log.error(
        { event: 'ledger_invariant_violated', ...violations },
        'The audit found workspaces that violate invariants of the ledger',
      );
    }
  };
  const onFailure = (err: unknown) =>
    log.warn({ event: 'ledger_audit_query_failed', err }, 'Ledger audit could not run, will retry');
  return repeatEvery(auditIntervalMs, audit, onFailure);
};

const ROLL_UP_INTERVAL_MS = 10_000;

const startRollingUp = ({ log }: Host, database: Database): Repetition => {
  const controller = new AbortController();
  const store = createUsageRollUp(database);
  const onFailure = (err: unknown, workspaceId?: string): void =>
    log.warn(
      { event: 'usage_roll_up_failed', workspaceId, err },
      'Summing up usage failed, will retry',
    );
  const repetition = repeatEvery(
    ROLL_UP_INTERVAL_MS,
    async () => void (await rollUpUsage(store, { stopping: controller.signal, onFailure })),
    (err: unknown) => onFailure(err),
  );
  return {
    stop: async () => {
      controller.abort();
      await repetition.stop();
    },
  };
};

const wall = (): number => Date.now();
const clock = (): number => performance.now();

const sleep = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  await setTimeout(milliseconds, undefined, { signal, ref: false });
};

/** Returns the log with a `takeAnswers` that logs the outcome. */
const toPublicLog = (transparency: TransparencyLog, log: Log): PublicLog => ({
  ...transparency,
  takeAnswers: async (size, answers) => {
    const { isPublished, isAgain, refused } = await transparency.takeAnswers(size, answers);
    for (const { witness, reason, isAhead } of refused) {
      // A witness that knows more of the log than its database has: a backup was restored, or the
      // witness does not tell the truth.
      if (isAhead)
        log.error(
          { event: 'log_witness_ahead', witness, reason },
          'A witness has cosigned a longer log than the stored one; it is left out',
        );
      else log.warn({ event: 'log_witness_refused', witness, reason }, 'A witness did not cosign');
    }
    if (isPublished) log.debug({ event: 'log_published', size }, 'Checkpoint of the log published');
    else if (!isAgain)
      log.error(
        { event: 'log_quorum_missing', size },
        'Too few witnesses cosigned the log; nothing was published, will retry',
      );
    return isAgain;
  },
});

/** Writes and publishes epochs, and reads the state of the log for its metrics. */
const startLog = (
  transparency: TransparencyLog,
  { auditIntervalMs }: Config,
  { log, registry }: Host,
  { database, countCommits }: { database: Database; countCommits: () => number },
): Repetition => {
  const metrics = createLogMetrics(registry);
  const controller = new AbortController();
  let seen = 0;
  const isBusy = (): boolean => {
    const before = seen;
    seen = countCommits();
    return seen > before;
  };
  const onChangedEntries = (workspaceId: string): void => {
    metrics.onChangedEntries();
    log.error(
      { event: 'log_certificates_changed', workspaceId },
      'Stored certificates are not those that the tree was made of',
    );
  };
  const { origin, vkeys, policy } = transparency;
  const isWitnessed = policy.policy.quorum.kind !== 'none';
  log.info({ event: 'log_opened', origin, vkeys, isWitnessed }, 'Transparency log opened');
  const events = {
    isBusy,
    stopping: controller.signal,
    clock,
    onWritten: metrics.onEpoch,
    onPublished: (size: number) =>
      log.debug({ event: 'log_published', size }, 'Checkpoint of the log published'),
    onChangedEntries,
  };
  const writing = repeatEvery(
    transparency.intervalMs,
    () => withoutTrace(() => transparency.runCycle(events)),
    (err: unknown) =>
      log.error({ event: 'log_cycle_failed', err }, 'The log was not published, will retry'),
  );
  const auditing = repeatEvery(
    auditIntervalMs,
    async () => (await withoutTrace(transparency.audit)).forEach(onChangedEntries),
    (err: unknown) =>
      log.warn({ event: 'log_audit_failed', err }, 'Audit of the log could not run, will retry'),
  );
  const watching = repeatEvery(
    STATE_INTERVAL_MS,
    async () => metrics.onStateRead(await readLogState(database)),
    (err: unknown) =>
      log.warn(
        { event: 'log_metrics_query_failed', err },
        'Query for the metrics of the log failed, will retry',
      ),
  );
  return {
    stop: async () => {
      controller.abort();
      await Promise.all([writing.stop(), auditing.stop(), watching.stop()]);
    },
  };
};

const openLedgerDatabase = (config: Config, log: Log): Promise<Database> =>
  openDatabase({
    url: config.databaseUrl,
    schema: 'ledger',
    entities: [
      AccountEntity,
      CertificateEntity,
      ChainHeadEntity,
      EntryEntity,
      ReservationEntity,
      SigningKeyEntity,
    ],
    migrations: MIGRATIONS,
    log,
  });
