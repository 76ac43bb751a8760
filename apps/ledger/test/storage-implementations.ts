import { createLog, openDatabase } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type {
  LedgerStorage,
  LedgerWrite,
  CommitProblems,
  Reserve,
} from '../src/write/ledger-write.ts';
import type { Signer } from '../src/signing-key/signer.ts';
import { createLedgerStore } from '../src/write/store/ledger-store.ts';
import {
  createCertificateStore,
  ReservationEntity,
  CertificateEntity,
} from '../src/chain/store/certificate-store.ts';
import { SigningKeyEntity, createKeyStore } from '../src/signing-key/store/signing-key-store.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { createFakeLedgerStorage } from './fake-ledger-storage.ts';

export const ISSUER = 'witan-test';
export const NOW = Date.parse('2026-06-01T12:00:00.000Z');

export type OpenedStorage = { storage: LedgerStorage; close: () => Promise<void> };
type Open = (signer: Signer, openingCredit?: number) => Promise<OpenedStorage>;

const openFake: Open = async ({ keyId }, openingCredit) => ({
  storage: createFakeLedgerStorage({
    keyId,
    issuer: ISSUER,
    ...(openingCredit === undefined ? {} : { openingCredit }),
  }),
  close: async () => {},
});

export const openPostgres = async (
  signer: Signer,
  openingCredit?: number,
): Promise<OpenedStorage & { database: Database }> => {
  const test = await createTestDatabase(['ledger']);
  const database = await openDatabase({
    url: test.urls.ledger!,
    schema: 'ledger',
    entities: [CertificateEntity, ReservationEntity, SigningKeyEntity],
    migrations: MIGRATIONS,
    log: createLog({ service: 'ledger', level: 'silent' }),
  });
  await createKeyStore(database, Date.now).makeCurrent(signer);
  const metering = {
    isMetered: openingCredit !== undefined,
    openingCredit: openingCredit ?? 0,
  };
  const certificates = createCertificateStore(database);
  return {
    database,
    storage: createLedgerStore(database, certificates, { issuer: ISSUER, metering }),
    close: async () => {
      await database[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
    },
  };
};

export const NO_PROBLEMS: CommitProblems = {
  moved: new Set(),
  unreserved: new Set(),
  taken: new Map(),
  short: new Set(),
  busy: new Set(),
  held: new Map(),
};

type Terms = 'amount' | 'minimum' | 'intent';
export const reserve = (
  workspaceId: string,
  proofId: string,
  { amount = 0n, minimum = 0n, intent }: Partial<Pick<Reserve, Terms>> = {},
): Exclude<LedgerWrite, { kind: 'append' }> => ({
  kind: 'reserve',
  workspaceId,
  proofId,
  amount,
  minimum,
  intent,
  expiresInMs: 60_000,
});
export const release = (workspaceId: string, proofId: string) =>
  ({ kind: 'release', workspaceId, proofId }) as const;

export const STORAGES = [
  ['the fake', openFake],
  ['Postgres', openPostgres],
] as const;
