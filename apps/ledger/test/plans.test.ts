import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, newId, openDatabase } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client } from 'pg';
import type { LedgerStorage, LedgerWrite } from '../src/write/ledger-write.ts';
import { signCertificates } from '../src/chain/sign-certificates.ts';
import { createSigner } from '../src/signing-key/signer.ts';
import { createLedgerStore } from '../src/write/store/ledger-store.ts';
import {
  createCertificateStore,
  ReservationEntity,
  CertificateEntity,
} from '../src/chain/store/certificate-store.ts';
import { SigningKeyEntity, createKeyStore } from '../src/signing-key/store/signing-key-store.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { makeDraft } from './drafts.ts';

const ISSUER = 'witan-test';
const ROWS = 50_000;
/**
 * Maximum number of rows per table that a commit of `commitAll` may read; a sequential scan would
 * read the whole table.
 */
const ROWS_READ_MAX = 2_000;

const FILL_TABLES = `
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

describe('a commit with large tables', () => {
  const signer = createSigner(generateKeyPairSync('ed25519').privateKey);
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase(['ledger']);
    database = await openDatabase({
      url: testDatabase.urls.ledger!,
      schema: 'ledger',
      entities: [CertificateEntity, ReservationEntity, SigningKeyEntity],
      migrations: MIGRATIONS,
      log: createLog({ service: 'ledger', level: 'silent' }),
    });
    await createKeyStore(database, Date.now).makeCurrent(signer);
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
    await testDatabase[Symbol.asyncDispose]();
  });

  /** Opens a storage on a single connection, because plans are cached per connection. */
  const connect = async (): Promise<{ client: Client; storage: LedgerStorage }> => {
    const client = new Client({ connectionString: testDatabase.urls.ledger });
    await client.connect();
    const query = client.query.bind(client);
    const acquire = async () => ({ query, release: () => {} });
    const pool = { query, connect: acquire } as unknown as Database['pool'];
    const metering = { isMetered: true, openingCredit: 1_000 };
    const storage = createLedgerStore({ ...database, pool }, createCertificateStore(database), {
      issuer: ISSUER,
      metering,
    });
    return { client, storage };
  };
  /**
   * Commits ten appends, ten releases and eleven reserves for each of three workspaces, and three
   * reserves of new workspaces; with `isRenamed` the certificates have other ids than their
   * reservations. Then commits ten appends and ten reserves for each of the three, as calls
   * commonly are.
   */
  const commitAll = async (storage: LedgerStorage, isRenamed = false): Promise<void> => {
    const setupStore = createLedgerStore(database, createCertificateStore(database), {
      issuer: ISSUER,
      metering: { isMetered: true, openingCredit: 1_000 },
    });
    const toReserve = (
      workspaceId: string,
      proofId: string,
    ): Exclude<LedgerWrite, { kind: 'append' }> => ({
      kind: 'reserve',
      workspaceId,
      proofId,
      amount: 10n,
      minimum: 1n,
      intent: undefined,
      expiresInMs: 60_000,
    });
    const workspaces = [newId('ws'), newId('ws'), newId('ws')].map((workspaceId) => ({
      workspaceId,
      ending: Array.from({ length: 10 }, () => newId('pf')),
      released: Array.from({ length: 10 }, () => newId('pf')),
      again: newId('pf'),
      common: Array.from({ length: 10 }, () => newId('pf')),
    }));
    const setup = workspaces.flatMap(
      ({ workspaceId, ending: endingIds, released: releasedIds, again: repeatedId, common }) =>
        [...endingIds, ...releasedIds, repeatedId, ...common].map((id) =>
          toReserve(workspaceId, id),
        ),
    );
    await setupStore.commit(setup, [], signer.keyId);
    const heads = await setupStore.loadHeads(workspaces.map(({ workspaceId }) => workspaceId));
    const groups = await Promise.all(
      workspaces.map(async ({ workspaceId, ending: endingIds }) => {
        const before = heads.get(workspaceId)!;
        const context = { workspaceId, issuer: ISSUER, head: before, now: 0 };
        const settles = new Map(isRenamed ? endingIds.map((id) => [`${id}as`, id]) : []);
        const ids = isRenamed ? [...settles.keys()] : endingIds;
        const drafts = ids.map((id) => makeDraft(id));
        const { certificates, head: after } = await signCertificates(drafts, context, signer);
        return { workspaceId, before, after, certificates, settles };
      }),
    );
    const writes = workspaces.flatMap(
      ({ workspaceId, released: releasedIds, again: repeatedId }) => [
        ...releasedIds.map((proofId) => ({ kind: 'release' as const, workspaceId, proofId })),
        ...releasedIds.map(() => toReserve(workspaceId, newId('pf'))),
        toReserve(newId('ws'), newId('pf')),
        toReserve(workspaceId, repeatedId),
      ],
    );
    await storage.commit(writes, groups, signer.keyId);
    const commonGroups = await Promise.all(
      workspaces.map(async ({ workspaceId, common }, index) => {
        const before = groups[index]!.after;
        const context = { workspaceId, issuer: ISSUER, head: before, now: 0 };
        const drafts = common.map((id) => makeDraft(id));
        const { certificates, head: after } = await signCertificates(drafts, context, signer);
        return { workspaceId, before, after, certificates };
      }),
    );
    const reserves = workspaces.flatMap(({ workspaceId, common }) =>
      common.map(() => toReserve(workspaceId, newId('pf'))),
    );
    const { moved, unreserved } = await storage.commit(reserves, commonGroups, signer.keyId);
    expect([moved.size, unreserved.size]).toEqual([0, 0]);
  };
  const readRowCounts = async (client: Client): Promise<Record<string, number>> => {
    const { rows } = await client.query<{ relname: string; seen: string }>(
      `SELECT relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS seen
       FROM pg_stat_xact_user_tables WHERE schemaname = 'ledger'`,
    );
    return Object.fromEntries(rows.map(({ relname, seen }) => [relname, Number(seen)]));
  };

  it('finds every row by its key, planned on empty tables, with new statistics or without', async () => {
    const { client: earlyClient, storage: earlyStorage } = await connect();
    for (const isRenamed of [false, true]) await commitAll(earlyStorage, isRenamed);
    const admin = new Client({ connectionString: testDatabase.adminUrl });
    await admin.connect();
    await admin.query(FILL_TABLES);
    const { client: statisticlessClient, storage: statisticlessStorage } = await connect();
    const rowCounts: Record<string, number>[] = [];
    const measureRowsRead = async (client: Client, storage: LedgerStorage): Promise<void> => {
      for (const isRenamed of [false, true]) {
        await client.query('BEGIN');
        await commitAll(storage, isRenamed);
        rowCounts.push(await readRowCounts(client));
        await client.query('COMMIT');
      }
    };
    await measureRowsRead(earlyClient, earlyStorage);
    await measureRowsRead(statisticlessClient, statisticlessStorage);
    await admin.query('ANALYZE');
    await measureRowsRead(earlyClient, earlyStorage);
    const { client: lateClient, storage: lateStorage } = await connect();
    await measureRowsRead(lateClient, lateStorage);
    await Promise.all(
      [earlyClient, statisticlessClient, lateClient, admin].map((client) => client.end()),
    );
    for (const tables of rowCounts) {
      expect(Object.keys(tables)).toEqual(expect.arrayContaining(['account', 'reservation']));
      for (const [table, rows] of Object.entries(tables)) {
        expect(`${table}: ${rows > ROWS_READ_MAX ? rows : 'few'}`).toBe(`${table}: few`);
      }
    }
  });
});
