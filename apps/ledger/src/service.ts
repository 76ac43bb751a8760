import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { implement, openDatabase } from '@witan/service-kit';
import type { Database, Host, Log, Service } from '@witan/service-kit';
import { CertificateService, LedgerService } from '@witan/contracts/services';
import type { Config } from './config.ts';
import { openBooks } from './domain/book/open-books.ts';
import { startSweeping } from './domain/reservation/start-sweeping.ts';
import { sweepReservations } from './domain/reservation/sweep-reservations.ts';
import { createSigner } from './domain/signing-key/signer.ts';
import type { Signer } from './domain/signing-key/signer.ts';
import { createExportChain } from './handlers/export-chain.ts';
import { createGetCertificate } from './handlers/get-certificate.ts';
import { createListCertificates } from './handlers/list-certificates.ts';
import { createListSigningKeys } from './handlers/list-signing-keys.ts';
import { createVerifyCertificate } from './handlers/verify-certificate.ts';
import { createWrite } from './handlers/write.ts';
import { createBookStore } from './storage/book-store.ts';
import { createCertificateStore } from './storage/certificate-store.ts';
import {
  CertificateEntity,
  ChainHeadEntity,
  ReservationEntity,
  SigningKeyEntity,
} from './storage/entities.ts';
import { keepIssuer } from './storage/keep-issuer.ts';
import { Books } from './storage/migrations/0001-books.ts';
import { WriteBooks } from './storage/migrations/0002-write-books.ts';
import { findExpiredReservations } from './storage/reservation-store.ts';
import { checkCurrent, listSigningKeys, makeCurrent } from './storage/signing-key-store.ts';
import { createMeters } from './meters.ts';

/** Composes the ledger: opens its schema, takes its key into force, starts its sweeper. */
export const createService = async (config: Config, host: Host): Promise<Service> => {
  const { log } = host;
  const signer = createSigner(createPrivateKey(readFileSync(config.signingKeyFile)));
  const database = await openLedgerDatabase(config, log);
  await keepIssuer(database, config.issuer);
  const notBefore = await takeIntoForce(database, signer, log);
  const certificates = createCertificateStore(database);
  const listKeys = (): ReturnType<typeof listSigningKeys> => listSigningKeys(database);
  const meters = createMeters(host.metrics);
  const books = openBooks({
    storage: createBookStore(database, certificates, config.issuer),
    signer,
    issuer: config.issuer,
    // The database's clock opened the key's window; this process's may be behind it.
    clock: () => Math.max(Date.now(), notBefore.getTime()),
    onCommit: meters.onCommit,
    onFailure: (err) => log.error({ err }, 'a commit to the books failed'),
  });
  const sweeping = startSweeping({
    sweep: () => sweepReservations((limit) => findExpiredReservations(database, limit), books),
    intervalMs: config.sweepIntervalMs,
    onSwept: (swept) => {
      meters.onSwept(swept);
      log.warn(swept, 'ended reservations that their callers left');
    },
    onFailure: (err) => log.warn({ err }, 'could not sweep; will try again'),
  });
  return {
    implementations: [
      implement(LedgerService, { write: createWrite(books) }),
      implement(CertificateService, {
        getCertificate: createGetCertificate(certificates),
        verifyCertificate: createVerifyCertificate(certificates, listKeys, config.issuer),
        listCertificates: createListCertificates(certificates),
        exportChain: createExportChain(certificates, listKeys, config.issuer),
        listSigningKeys: createListSigningKeys(listKeys),
      }),
    ],
    checks: {
      database: database.check,
      'signing-key': () => checkCurrent(database, signer.keyId),
    },
    stop: async () => {
      await sweeping.stop();
      await database[Symbol.asyncDispose]();
    },
  };
};

const openLedgerDatabase = (config: Config, log: Log): Promise<Database> =>
  openDatabase({
    url: config.databaseUrl,
    schema: 'ledger',
    entities: [CertificateEntity, ChainHeadEntity, ReservationEntity, SigningKeyEntity],
    migrations: [
      { name: '0001-books', class: Books },
      { name: '0002-write-books', class: WriteBooks },
    ],
    log,
  });

/** Answers when the key's window opened. */
const takeIntoForce = async (database: Database, signer: Signer, log: Log): Promise<Date> => {
  const { change, notBefore } = await makeCurrent(database, signer);
  if (change !== 'already current') log.info({ keyId: signer.keyId, change }, 'signing key');
  return notBefore;
};
