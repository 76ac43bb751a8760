import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, newId, openDatabase } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client } from 'pg';
import type { BookStorage, BookWrite } from '../src/domain/book/write.ts';
import { sealCertificates } from '../src/domain/certificate/seal-certificates.ts';
import { createSigner } from '../src/domain/signing-key/signer.ts';
import { createBookStore } from '../src/storage/book-store.ts';
import { createCertificateStore } from '../src/storage/certificate-store.ts';
import { CertificateEntity, ReservationEntity, SigningKeyEntity } from '../src/storage/entities.ts';
import { MIGRATIONS } from '../src/storage/migrations/migrations.ts';
import { createKeyStore } from '../src/storage/signing-key-store.ts';
import { makeDraft } from './drafts.ts';

const ISSUER = 'witan-test';
const ROWS = 50_000;
/** Rows that a commit of thirty calls may look at in one table; a walk looks at all of them. */
const LOOKED_AT_MAX = 2_000;

/** Strangers' books of that many workspaces, every second reservation held. */
const FILL = `
  ALTER TABLE ledger.certificate DISABLE TRIGGER USER;
  INSERT INTO ledger.account SELECT 'ws_old' || n, 1000, n % 2 FROM generate_series(1, ${ROWS}) n;
  INSERT INTO ledger.chain_head
    SELECT 'ws_old' || n, 0, '', now() FROM generate_series(1, ${ROWS}) n;
  INSERT INTO ledger.certificate SELECT 'pf_old' || n, 'ws_old' || n, 0, '{}', '', '', ''
    FROM generate_series(1, ${ROWS}) n;
  INSERT INTO ledger.reservation
    SELECT 'pf_old' || n, 'ws_old' || n, 1, CASE n % 2 WHEN 1 THEN 'held' ELSE 'settled' END,
           NULL, now(), now() FROM generate_series(1, ${ROWS}) n;
  INSERT INTO ledger.entry (id, workspace_id, kind, amount, source, target)
    SELECT 'ent_old' || n, 'ws_old' || n, 'credit', 1000, 'operator', 'account'
    FROM generate_series(1, ${ROWS}) n;`;

describe('one commit, whatever the size of the tables,', () => {
  const signer = createSigner(generateKeyPairSync('ed25519').privateKey);
  let place: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    place = await createTestDatabase(['ledger']);
    database = await openDatabase({
      url: place.urls.ledger!,
      schema: 'ledger',
      entities: [CertificateEntity, ReservationEntity, SigningKeyEntity],
      migrations: MIGRATIONS,
      log: createLog({ service: 'ledger', level: 'silent' }),
    });
    await createKeyStore(database).makeCurrent(signer);
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  /** One connection, and the books over it alone: plans are a connection's own. */
  const connect = async (): Promise<{ client: Client; storage: BookStorage }> => {
    const client = new Client({ connectionString: place.urls.ledger });
    await client.connect();
    const pool = { query: client.query.bind(client) } as unknown as Database['pool'];
    const metering = { isMetered: true, openingCredit: 1_000 };
    const storage = createBookStore({ ...database, pool }, createCertificateStore(database), {
      issuer: ISSUER,
      metering,
    });
    return { client, storage };
  };
  /**
   * Ten calls of each of three workspaces that end while ten are released and ten begin; each under
   * another id than its own, if that is wanted.
   */
  const commitAll = async (storage: BookStorage, isRenamed = false): Promise<void> => {
    const books = createBookStore(database, createCertificateStore(database), {
      issuer: ISSUER,
      metering: { isMetered: true, openingCredit: 1_000 },
    });
    const begin = (
      workspaceId: string,
      proofId: string,
    ): Exclude<BookWrite, { kind: 'append' }> => ({
      kind: 'reserve',
      workspaceId,
      proofId,
      amount: 10n,
      minimum: 1n,
      intent: undefined,
      expiresInMs: 60_000,
    });
    const calls = [newId('ws'), newId('ws'), newId('ws')].map((workspaceId) => ({
      workspaceId,
      ending: Array.from({ length: 10 }, () => newId('pf')),
      released: Array.from({ length: 10 }, () => newId('pf')),
      again: newId('pf'),
    }));
    const standing = calls.flatMap(({ workspaceId, ending, released, again }) =>
      [...ending, ...released, again].map((id) => begin(workspaceId, id)),
    );
    await books.commit(standing, [], signer.keyId);
    const heads = await books.loadHeads(calls.map(({ workspaceId }) => workspaceId));
    const groups = await Promise.all(
      calls.map(async ({ workspaceId, ending }) => {
        const before = heads.get(workspaceId)!;
        const at = { workspaceId, issuer: ISSUER, head: before, now: 0 };
        const settles = new Map(isRenamed ? ending.map((id) => [`${id}as`, id]) : []);
        const ids = isRenamed ? [...settles.keys()] : ending;
        const drafts = ids.map((id) => makeDraft(id));
        const { certificates, head: after } = await sealCertificates(drafts, at, signer);
        return { workspaceId, before, after, certificates, settles };
      }),
    );
    const writes = calls.flatMap(({ workspaceId, released, again }) => [
      ...released.map((proofId) => ({ kind: 'release' as const, workspaceId, proofId })),
      ...released.map(() => begin(workspaceId, newId('pf'))),
      // An account that opens, and one call that stands already: the way of a second reserve.
      begin(newId('ws'), newId('pf')),
      begin(workspaceId, again),
    ]);
    await storage.commit(writes, groups, signer.keyId);
  };
  /** Rows that this connection has looked at since its transaction began, by table. */
  const lookedAt = async (client: Client): Promise<Record<string, number>> => {
    const { rows } = await client.query<{ relname: string; seen: string }>(
      `SELECT relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS seen
       FROM pg_stat_xact_user_tables WHERE schemaname = 'ledger'`,
    );
    return Object.fromEntries(rows.map(({ relname, seen }) => [relname, Number(seen)]));
  };

  it('finds every row by its key: planned on empty tables, on new statistics, on none', async () => {
    const { client: early, storage: earlyBooks } = await connect();
    for (const isRenamed of [false, true]) await commitAll(earlyBooks, isRenamed);
    const admin = new Client({ connectionString: place.adminUrl });
    await admin.connect();
    await admin.query(FILL);
    const { client: blind, storage: blindBooks } = await connect();
    const seen: Record<string, number>[] = [];
    const measure = async (client: Client, storage: BookStorage): Promise<void> => {
      for (const isRenamed of [false, true]) {
        await client.query('BEGIN');
        await commitAll(storage, isRenamed);
        seen.push(await lookedAt(client));
        await client.query('COMMIT');
      }
    };
    await measure(early, earlyBooks);
    await measure(blind, blindBooks);
    await admin.query('ANALYZE');
    await measure(early, earlyBooks);
    const { client: late, storage: lateBooks } = await connect();
    await measure(late, lateBooks);
    await Promise.all([early, blind, late, admin].map((client) => client.end()));
    for (const tables of seen) {
      expect(Object.keys(tables)).toEqual(expect.arrayContaining(['account', 'reservation']));
      for (const [table, rows] of Object.entries(tables)) {
        expect(`${table}: ${rows > LOOKED_AT_MAX ? rows : 'few'}`).toBe(`${table}: few`);
      }
    }
  });
});
