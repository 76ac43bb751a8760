import { hash } from 'node:crypto';
import type { TestSystem } from '@witan/testing';
import { Client } from 'pg';
import type { Fixture } from './open-fixture.ts';

type RunningRecord = { workspaceId: string; key: string; proofId: string; requestHash: string };

/** Access to a system's idempotency records in the database. */
export type Records = AsyncDisposable & {
  /** Inserts the idempotency record of a call that is still running but whose lease has expired. */
  insertExpiredRecord: (record: RunningRecord) => Promise<void>;
  /** Inserts a released reservation with this proof id, as if the call had ended before egress. */
  insertReleasedReservation: (reservation: {
    workspaceId: string;
    proofId: string;
  }) => Promise<void>;
  read: (key: string) => Promise<Record<string, unknown>>;
};

/**
 * Inserts the idempotency record that a process leaves if it is killed during a call with the
 * system's API key.
 */
export const insertRecordOfKilledCall = async (
  { system, client }: Fixture,
  records: Records,
  { key, path, body, proofId }: { key: string; path: string; body: object; proofId: string },
): Promise<void> => {
  const { apiKeys } = (await client.send('/v1/api-keys')).json as {
    apiKeys: { id: string; name: string }[];
  };
  const seededKey = apiKeys.find(({ name }) => name === 'npm start')!;
  const text = `${seededKey.id}\nPOST\n${path}\n${JSON.stringify(body)}`;
  const { workspaceId } = system;
  await records.insertExpiredRecord({
    workspaceId,
    key,
    proofId,
    requestHash: hash('sha256', text),
  });
};

/** Connects to the database as the server's administrator, who bypasses row-level security. */
export const openRecords = async ({ databaseUrl }: TestSystem): Promise<Records> => {
  const admin = new Client({ connectionString: databaseUrl });
  await admin.connect();
  return {
    insertExpiredRecord: async ({ workspaceId, key, proofId, requestHash }) => {
      const sql = `
        INSERT INTO api_gateway.idempotency_record (workspace_id, key, request_hash, proof_id,
          state, claim_id, created_at, expires_at, lease_until)
        VALUES ($1, $2, $3, $4, 'running', 'idm_killed', now() - interval '1 h',
          now() + interval '1 h', now() - interval '1 s')`;
      await admin.query(sql, [workspaceId, key, requestHash, proofId]);
    },
    insertReleasedReservation: async ({ workspaceId, proofId }) => {
      const sql = `
        INSERT INTO ledger.reservation (id, workspace_id, amount, state, expires_at)
        VALUES ($1, $2, 0, 'released', now())`;
      await admin.query(sql, [proofId, workspaceId]);
    },
    read: async (key) => {
      const sql = 'SELECT * FROM api_gateway.idempotency_record WHERE key = $1';
      const { rows } = await admin.query<Record<string, unknown>>(sql, [key]);
      return rows[0]!;
    },
    [Symbol.asyncDispose]: () => admin.end(),
  };
};
