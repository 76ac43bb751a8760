import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { canonicalJson } from '@witan/proof';
import pg from 'pg';

type Link = { chainIndex: number; prevHash: string };

/** A reservation has an intent, a certificate the members that precede its place in the chain. */
export type Write = { id: string; onDurable: () => void } & (
  | { intent: string }
  | { payload: object }
);

const WORKSPACE = 'ws_floor';
const SCHEMA = `
  CREATE SCHEMA floor;
  CREATE TABLE floor.reservation (
    id text PRIMARY KEY, workspace_id text NOT NULL, intent text NOT NULL,
    expires_at timestamptz NOT NULL);
  CREATE TABLE floor.certificate (
    id text PRIMARY KEY, workspace_id text NOT NULL, chain_index bigint NOT NULL,
    payload text NOT NULL, payload_hash text NOT NULL, signature text NOT NULL,
    UNIQUE (workspace_id, chain_index));
  CREATE TABLE floor.head (
    workspace_id text PRIMARY KEY, chain_index bigint NOT NULL, hash text NOT NULL);
  INSERT INTO floor.head VALUES ('${WORKSPACE}', -1, '')`;
const RESERVE = `INSERT INTO floor.reservation
  SELECT id, '${WORKSPACE}', intent, now() + interval '10 min'
  FROM unnest($1::text[], $2::text[]) AS t (id, intent)`;
const APPEND = `WITH reserved AS (${RESERVE}),
  head AS (UPDATE floor.head SET chain_index = $3, hash = $4 WHERE workspace_id = '${WORKSPACE}'),
  settled AS (DELETE FROM floor.reservation WHERE id = ANY ($5::text[]))
  INSERT INTO floor.certificate
  SELECT id, '${WORKSPACE}', chain_index, payload, payload_hash, signature
  FROM unnest($5::text[], $6::bigint[], $7::text[], $8::text[], $9::text[])
    AS t (id, chain_index, payload, payload_hash, signature)`;

const { privateKey } = generateKeyPairSync('ed25519');

/** Returns a function that links and signs one certificate after the other. */
export const createSigner = () => {
  let head: Link = { chainIndex: 0, prevHash: '' };
  return (members: object) => {
    const { chainIndex } = head;
    const payload = canonicalJson({ ...members, ...head, issuedAt: new Date().toISOString() });
    const payloadHash = hash('sha256', payload);
    const signature = sign(null, Buffer.from(payloadHash), privateKey).toString('base64');
    head = { chainIndex: chainIndex + 1, prevHash: payloadHash };
    return { chainIndex, payload, payloadHash, signature };
  };
};

/** Opens a ledger of one workspace: one commit at a time takes all writes that wait for it. */
export const openFloorLedger = async (databaseUrl: string): Promise<(write: Write) => void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS floor CASCADE; ${SCHEMA}`);
  const certify = createSigner();
  let waiting: Write[] = [];
  let isRunning = false;
  const commit = async (writes: readonly Write[]): Promise<void> => {
    const reserves = writes.flatMap((one) => ('intent' in one ? one : []));
    const appends = writes.flatMap((one) =>
      'payload' in one ? { id: one.id, ...certify(one.payload) } : [],
    );
    const values: unknown[] = [reserves.map(({ id }) => id), reserves.map((one) => one.intent)];
    const last = appends.at(-1);
    if (last === undefined) {
      await client.query({ name: 'reserve', text: RESERVE, values });
      return;
    }
    values.push(
      last.chainIndex,
      last.payloadHash,
      appends.map(({ id }) => id),
      appends.map(({ chainIndex }) => chainIndex),
      appends.map(({ payload }) => payload),
      appends.map(({ payloadHash }) => payloadHash),
      appends.map(({ signature }) => signature),
    );
    await client.query({ name: 'append', text: APPEND, values });
  };
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const writes = waiting;
      waiting = [];
      await commit(writes);
      for (const { onDurable } of writes) onDurable();
    }
    isRunning = false;
  };
  return (write) => {
    waiting.push(write);
    if (isRunning) return;
    isRunning = true;
    // The writes of one tick share a commit.
    setImmediate(() => void run());
  };
};
