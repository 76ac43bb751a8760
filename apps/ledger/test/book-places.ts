import { createLog, openDatabase } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { BookStorage, BookWrite, CommitProblems, Reserve } from '../src/domain/book/write.ts';
import type { Signer } from '../src/domain/signing-key/signer.ts';
import { createBookStore } from '../src/storage/book-store.ts';
import { createCertificateStore } from '../src/storage/certificate-store.ts';
import { CertificateEntity, ReservationEntity, SigningKeyEntity } from '../src/storage/entities.ts';
import { MIGRATIONS } from '../src/storage/migrations/migrations.ts';
import { createKeyStore } from '../src/storage/signing-key-store.ts';
import { createFakeBookStorage } from './fake-book-storage.ts';

/** Of the chains in these books. */
export const ISSUER = 'witan-test';
/** When everything in them is sealed. */
export const NOW = Date.parse('2026-06-01T12:00:00.000Z');

/** Books that a test closes. */
export type OpenedBooks = { storage: BookStorage; close: () => Promise<void> };
/** `openingCredit` undefined: calls are not metered. */
type Open = (signer: Signer, openingCredit?: number) => Promise<OpenedBooks>;

const openFake: Open = async ({ keyId }, openingCredit) => ({
  storage: createFakeBookStorage({
    keyId,
    issuer: ISSUER,
    ...(openingCredit === undefined ? {} : { openingCredit }),
  }),
  close: async () => {},
});

const openPostgres: Open = async (signer, openingCredit) => {
  const test = await createTestDatabase(['ledger']);
  const database = await openDatabase({
    url: test.urls.ledger!,
    schema: 'ledger',
    entities: [CertificateEntity, ReservationEntity, SigningKeyEntity],
    migrations: MIGRATIONS,
    log: createLog({ service: 'ledger', level: 'silent' }),
  });
  await createKeyStore(database).makeCurrent(signer);
  const metering = {
    isMetered: openingCredit !== undefined,
    openingCredit: openingCredit ?? 0,
  };
  const certificates = createCertificateStore(database);
  return {
    storage: createBookStore(database, certificates, { issuer: ISSUER, metering }),
    close: async () => {
      await database[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
    },
  };
};

/** What a commit says that did everything. */
export const NO_PROBLEMS: CommitProblems = {
  moved: new Set(),
  unreserved: new Set(),
  taken: new Map(),
  short: new Set(),
  busy: new Set(),
  held: new Map(),
};

type Terms = 'amount' | 'minimum' | 'intent';
/** A reserve of a minute. */
export const reserve = (
  workspaceId: string,
  proofId: string,
  { amount = 0n, minimum = 0n, intent }: Partial<Pick<Reserve, Terms>> = {},
): Exclude<BookWrite, { kind: 'append' }> => ({
  kind: 'reserve',
  workspaceId,
  proofId,
  amount,
  minimum,
  intent,
  expiresInMs: 60_000,
});
/** Its release. */
export const release = (workspaceId: string, proofId: string) =>
  ({ kind: 'release', workspaceId, proofId }) as const;

/** Where books may be: all do the same. */
export const PLACES = [
  ['the fake', openFake],
  ['Postgres', openPostgres],
] as const;
