import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseNoteKey } from '@witan/proof/tlog/note';
import { createLog, openDatabase } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { recomputeLog } from '@witan/testing';
import type { Recomputed } from '@witan/testing';
import { Client } from 'pg';
import { createCertificateStore, CertificateEntity } from '../src/chain/store/certificate-store.ts';
import type { Anchor } from '../src/log/anchor.ts';
import { createLogSigner } from '../src/log/log-keys.ts';
import { createLogPolicy } from '../src/log/log-policy.ts';
import { createEpochStore, ensureIdentity } from '../src/log/store/epoch-store.ts';
import { ensureLogKeys } from '../src/log/store/log-key-store.ts';
import { createLogStores } from '../src/log/store/log-stores.ts';
import { createTransparencyLog } from '../src/log/transparency-log.ts';
import type { CycleEvents, TransparencyLog } from '../src/log/transparency-log.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { parseSigners } from '../src/signing-key/signer.ts';
import { ISSUER } from './open-ledger.ts';
import type { LedgerFixture } from './open-ledger.ts';

export const ORIGIN = 'log.witan.test/ledger';

/** A transparency log on the database of a fixture, which a test runs step by step. */
export type TestLog = AsyncDisposable & {
  log: TransparencyLog;
  /** The same log as another replica runs it, optionally without the lock. */
  replica: (options?: { isLocked: boolean }) => TransparencyLog;
  /** Runs a cycle; `changed` collects the workspaces that were left out. */
  cycle: (log?: TransparencyLog) => Promise<{ epochs: number; changed: string[] }>;
  recompute: () => Promise<Recomputed>;
  admin: Client;
  database: Database;
};

export type TestLogOptions = {
  keyFile: string;
  isCover?: boolean;
  /** In milliseconds; of covers only, because tests run each cycle themselves. */
  intervalMs?: number;
  policy?: string;
  anchor?: Anchor;
  /** Secret of the log, if it is a new one. */
  secret?: Uint8Array;
};

export const openTestLog = async (
  fixture: LedgerFixture,
  { keyFile, policy, anchor, ...options }: TestLogOptions,
): Promise<TestLog> => {
  const { isCover = false, intervalMs = 5_000, secret = randomBytes(32) } = options;
  const database = await openDatabase({
    url: fixture.database.urls.ledger!,
    schema: 'ledger',
    entities: [CertificateEntity],
    migrations: MIGRATIONS,
    log: createLog({ service: 'test', level: 'silent' }),
    poolSize: 12,
  });
  const admin = new Client({ connectionString: fixture.database.adminUrl });
  await admin.connect();
  const signer = createLogSigner(parseSigners(await readFile(keyFile, 'utf8')), ORIGIN);
  const identity = await ensureIdentity(database, { origin: ORIGIN, secret });
  const stores = createLogStores(
    { database, reads: database, publicReads: database },
    createCertificateStore(database),
  );
  const known = await ensureLogKeys(database, signer.vkeys);
  const context = {
    ...{ identity, issuer: ISSUER, signer, intervalMs, isCover },
    policy: createLogPolicy(policy, signer, known),
    keys: known.map(parseNoteKey),
    newSecret: () => randomBytes(32),
    pause: async () => {},
    now: Date.now,
    random: Math.random,
    anchor,
  };
  const replica = (writing = { isLocked: true }): TransparencyLog =>
    createTransparencyLog({ ...stores, epochs: createEpochStore(database, writing) }, context);
  const log = replica();
  return {
    log,
    replica,
    cycle: async (one = log) => {
      const changed: string[] = [];
      let epochs = 0;
      await one.runCycle(
        createEvents({
          onWritten: () => (epochs += 1),
          onChangedEntries: (id) => changed.push(id),
        }),
      );
      return { epochs, changed };
    },
    recompute: () => recomputeLog(admin, { issuer: ISSUER, origin: ORIGIN }),
    admin,
    database,
    [Symbol.asyncDispose]: async () => {
      await admin.end();
      await database[Symbol.asyncDispose]();
    },
  };
};

const createEvents = (events: Partial<CycleEvents>): CycleEvents => ({
  isBusy: () => false,
  stopping: new AbortController().signal,
  clock: () => 0,
  onWritten: () => {},
  onPublished: () => {},
  onChangedEntries: () => {},
  ...events,
});

/** Inserts certificates whose hashes and signatures are random; they are valid leaves only. */
export const insertLeaves = async (
  admin: Client,
  workspaceId: string,
  { from, count }: { from: number; count: number },
): Promise<void> => {
  await admin.query(
    `INSERT INTO ledger.certificate (id, workspace_id, chain_index, payload, payload_hash,
       signature, key_id)
     SELECT $1 || '_' || i, $1, i, '{"issuedAt":"2026-01-01T00:00:00.000Z"}',
       encode(sha256(convert_to($1 || i, 'UTF8')), 'hex'),
       replace(encode(sha512(convert_to($1 || i, 'UTF8')), 'base64'), E'\\n', ''), ''
     FROM generate_series($2::bigint, $3::bigint) AS i`,
    [workspaceId, from, from + count - 1],
  );
  await admin.query(
    `INSERT INTO ledger.chain_head VALUES ($1, $2, '', now())
     ON CONFLICT (workspace_id) DO UPDATE SET chain_index = excluded.chain_index`,
    [workspaceId, from + count - 1],
  );
};

const LOG_TABLES = [
  ...['tree', 'tree_head', 'tree_tile', 'epoch', 'epoch_keys', 'log_tile', 'log_state'],
  ...['checkpoint', 'published', 'witness'],
];

export const CERTIFICATE_TABLES = ['certificate', 'chain_head'];

/** Copies the tables of the log; resolves with a function that restores them, as a backup does. */
export const backUpLog = async (
  admin: Client,
  others: readonly string[] = [],
): Promise<() => Promise<void>> => {
  const tables = [...LOG_TABLES, ...others];
  for (const table of tables) {
    await admin.query(`CREATE TEMPORARY TABLE backup_${table} AS SELECT * FROM ledger.${table}`);
  }
  return async () => {
    // Triggers refuse such changes; they do not run in this mode.
    await admin.query("BEGIN; SET LOCAL session_replication_role = 'replica'");
    for (const table of tables) {
      await admin.query(`DELETE FROM ledger.${table}`);
      await admin.query(`INSERT INTO ledger.${table} SELECT * FROM backup_${table}`);
      await admin.query(`DROP TABLE backup_${table}`);
    }
    await admin.query('COMMIT');
  };
};
