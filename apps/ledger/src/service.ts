import { readFileSync } from 'node:fs';
import {
  implement,
  openDatabase,
  outsideTraces,
  recordSpan,
  repeatEvery,
  toLinks,
} from '@witan/service-kit';
import type { Database, Host, Log, Repetition, Service } from '@witan/service-kit';
import { AccountService, CertificateService, LedgerService } from '@witan/contracts/services';
import type { Config } from './config.ts';
import { openBooks } from './domain/book/open-books.ts';
import type { BookStorage, BookWrite } from './domain/book/write.ts';
import { sweepReservations } from './domain/reservation/sweep-reservations.ts';
import { openKeyring } from './domain/signing-key/keyring.ts';
import type { KeyNews } from './domain/signing-key/keyring.ts';
import { parseSigners } from './domain/signing-key/signer.ts';
import { createCredit } from './handlers/credit.ts';
import { createExportChain } from './handlers/export-chain.ts';
import { createGetBalance } from './handlers/get-balance.ts';
import { createGetCertificate } from './handlers/get-certificate.ts';
import { createListCertificates } from './handlers/list-certificates.ts';
import { createListEntries } from './handlers/list-entries.ts';
import { createListSigningKeys } from './handlers/list-signing-keys.ts';
import { createVerifyCertificate } from './handlers/verify-certificate.ts';
import { createWrite } from './handlers/write.ts';
import { createAccountStore } from './storage/account-store.ts';
import { createBookStore } from './storage/book-store.ts';
import { createCertificateStore } from './storage/certificate-store.ts';
import {
  AccountEntity,
  CertificateEntity,
  ChainHeadEntity,
  EntryEntity,
  ReservationEntity,
  SigningKeyEntity,
} from './storage/entities.ts';
import { findBookFaults } from './storage/find-book-faults.ts';
import { keepIssuer } from './storage/keep-issuer.ts';
import { readBookState } from './storage/read-book-state.ts';
import { MIGRATIONS } from './storage/migrations/migrations.ts';
import { findExpiredReservations } from './storage/reservation-store.ts';
import { createKeyStore, listSigningKeys } from './storage/signing-key-store.ts';
import { createMetrics } from './metrics.ts';
import type { Metrics } from './metrics.ts';

/** Composes the ledger: opens its schema, takes its key into force, starts its sweeper. */
export const createService = async (config: Config, host: Host): Promise<Service> => {
  const { log } = host;
  const signers = parseSigners(readFileSync(config.signingKeyFile, 'utf8'));
  const database = await openLedgerDatabase(config, log);
  await keepIssuer(database, config.issuer);
  const tell = (news: KeyNews): void => log.info(news, 'signing key');
  const keys = await openKeyring(signers, createKeyStore(database), tell);
  const certificates = createCertificateStore(database);
  const listKeys = (): ReturnType<typeof listSigningKeys> => listSigningKeys(database);
  const metrics = createMetrics(host.registry);
  const { isMetered, openingCredit, issuer } = config;
  const metering = { isMetered, openingCredit };
  const accounts = createAccountStore(database, openingCredit);
  const books = openBooks({
    storage: untraced(createBookStore(database, certificates, { issuer, metering })),
    keys,
    issuer,
    isMetered,
    clock: Date.now,
    onCommit: (writes, milliseconds) => {
      metrics.onCommit(writes, milliseconds);
      recordCommit(writes, milliseconds);
    },
    onFailure: (err) => log.error({ err }, 'a commit to the books failed'),
  });
  const sweep = async (): Promise<void> => {
    const swept = await sweepReservations((max) => findExpiredReservations(database, max), books);
    if (swept.lost + swept.released === 0) return;
    metrics.onSwept(swept);
    log.warn(swept, 'ended reservations that their callers left');
  };
  const looking = repeatEvery(
    Math.min(LOOK_EVERY_MS, config.auditIntervalMs),
    async () => metrics.onLooked(await readBookState(database)),
    (err) => log.warn({ err }, 'could not look how the books stand; will try again'),
  );
  const sweeping = repeatEvery(config.sweepIntervalMs, sweep, (err) => {
    log.warn({ err }, 'could not sweep; will try again');
  });
  const auditing = startAuditing(config, host, metrics, database);
  return {
    implementations: [
      implement(LedgerService, { write: createWrite(books) }),
      implement(AccountService, {
        getBalance: createGetBalance(accounts, isMetered),
        listEntries: createListEntries(accounts),
        credit: createCredit(accounts, isMetered),
      }),
      implement(CertificateService, {
        getCertificate: createGetCertificate(certificates),
        verifyCertificate: createVerifyCertificate(certificates, listKeys, issuer),
        listCertificates: createListCertificates(certificates),
        exportChain: createExportChain(certificates, listKeys, issuer),
        listSigningKeys: createListSigningKeys(listKeys),
      }),
    ],
    checks: {
      database: database.check,
      'signing-key': keys.check,
    },
    stop: async () => {
      await Promise.all([sweeping.stop(), auditing.stop(), looking.stop()]);
      await database[Symbol.asyncDispose]();
    },
  };
};

/** How often it is counted how the books stand, at least, in milliseconds. */
const LOOK_EVERY_MS = 15_000;

/** A commit holds writes of many calls: its statements are part of no trace. */
const untraced = (storage: BookStorage): BookStorage => ({
  commit: (...given) => outsideTraces(() => storage.commit(...given)),
  loadHeads: (...given) => outsideTraces(() => storage.loadHeads(...given)),
  findCertificate: (...given) => outsideTraces(() => storage.findCertificate(...given)),
});

/** A trace of its own, which points to those of its writes. */
const recordCommit = (writes: readonly BookWrite[], durationMs: number): void => {
  const links = toLinks(writes.map(({ trace = {} }) => trace));
  if (links.length === 0) return;
  const attributes = { 'witan.writes': writes.length };
  recordSpan({ name: 'commit', role: 'internal', attributes, durationMs, links });
};

/** Looks whether the books add up; what does not is a bug of ours and the operator's to know. */
const startAuditing = (
  { auditIntervalMs }: Config,
  { log }: Host,
  metrics: Metrics,
  database: Database,
): Repetition => {
  const audit = async (): Promise<void> => {
    const faults = await findBookFaults(database);
    if (!faults) return;
    metrics.onAudited(faults);
    if (Object.values(faults).some((count) => count > 0)) {
      log.error(faults, 'the books do not add up');
    }
  };
  return repeatEvery(auditIntervalMs, audit, (err) => {
    log.warn({ err }, 'could not look whether the books add up; will try again');
  });
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
