import { sweepRows, workspaceScope } from '@witan/service-kit';
import type { Database, SecretCipher, Transaction } from '@witan/service-kit';
import type { Claim, ClaimResult, IdempotencyRecords, ClaimRequest } from '../records.ts';
import { decryptResponse, encryptResponse } from './encrypt-response.ts';

type ClaimRow = { proof_id: string };
type RecordRow = {
  request_hash: string;
  proof_id: string;
  status: number | null;
  sealed_answer: string | null;
};

/**
 * Stores idempotency records in PostgreSQL. All times come from the database's clock, so that
 * replicas agree.
 */
export const createIdempotencyStore = (
  database: Database,
  secretCipher: SecretCipher,
): IdempotencyRecords => {
  const change = async (claim: Claim, sql: string, values: unknown[] = []): Promise<boolean> => {
    const { workspaceId, key, claimId } = claim;
    const rows = await database.scoped(workspaceScope(workspaceId), (em) =>
      em.execute<unknown[]>(`${sql} ${WHERE_CLAIM}`, [...values, workspaceId, key, claimId]),
    );
    return rows.length > 0;
  };
  return {
    claim: (claimRequest) =>
      database.scoped(workspaceScope(claimRequest.workspaceId), async (em) => {
        const claim = await claimRow(em, claimRequest);
        return claim ? { kind: 'claimed', claim } : await readRow(em, claimRequest, secretCipher);
      }),
    finish: (claim, response) => {
      const encrypted = encryptResponse(response, claim, secretCipher);
      return change(claim, FINISH, [response.status, encrypted]);
    },
    markLost: async (claim) => {
      await change(claim, FINISH, [LOST_RESPONSE_STATUS, NO_RESPONSE]);
    },
    discard: async (claim) => {
      await change(claim, 'DELETE FROM idempotency_record');
    },
    release: async (claim) => {
      await change(claim, 'UPDATE idempotency_record SET lease_until = now()');
    },
    extend: async (claims, leaseMs) => {
      if (claims.length === 0) return;
      const columns = (['workspaceId', 'key', 'claimId'] as const).map((name) =>
        claims.map((claim) => claim[name]),
      );
      const scope = workspaceScope(...new Set(columns[0]));
      await database.scopedClient(scope, (client) => client.query(EXTEND, [leaseMs, ...columns]));
    },
    deleteExpired: () => sweepRows(database, EXPIRED),
  };
};

const EXTEND = `
  UPDATE idempotency_record AS record SET lease_until = now() + $1 * interval '1 millisecond'
  FROM unnest($2::text[], $3::text[], $4::text[]) AS claim (workspace_id, key, claim_id)
  WHERE record.workspace_id = claim.workspace_id AND record.key = claim.key
    AND record.claim_id = claim.claim_id AND record.state = 'running'`;

const NO_RESPONSE = '';
const LOST_RESPONSE_STATUS = 409;

const WHERE_CLAIM = 'WHERE workspace_id = ? AND key = ? AND claim_id = ? RETURNING key';

const FINISH = `UPDATE idempotency_record SET state = 'done', status = ?, sealed_answer = ?`;

/**
 * Claims a key: inserts a row, replaces a finished row that has expired, or takes over an
 * unfinished row whose lease has ended, if it is of the same request or has expired. Of two
 * concurrent claims, the second one waits for the row lock, finds the lease of the first one and
 * returns no row.
 */
const CLAIM = `
  INSERT INTO idempotency_record AS prev (
    workspace_id, key, request_hash, state, claim_id, proof_id, created_at, expires_at, lease_until)
  VALUES (?, ?, ?, 'running', ?, ?, now(), now() + interval '24 hours',
    now() + ? * interval '1 millisecond')
  ON CONFLICT (workspace_id, key) DO UPDATE SET
    request_hash = excluded.request_hash, state = 'running', status = NULL, sealed_answer = NULL,
    claim_id = excluded.claim_id, lease_until = excluded.lease_until,
    proof_id = CASE WHEN prev.expires_at > now() THEN prev.proof_id ELSE excluded.proof_id END,
    created_at = CASE WHEN prev.expires_at > now() THEN prev.created_at ELSE now() END,
    expires_at = CASE WHEN prev.expires_at > now() THEN prev.expires_at ELSE excluded.expires_at END
  WHERE CASE prev.state WHEN 'done' THEN prev.expires_at <= now()
    ELSE prev.lease_until <= now()
      AND (prev.request_hash = excluded.request_hash OR prev.expires_at <= now()) END
  RETURNING proof_id`;

const claimRow = async (
  em: Transaction,
  claimRequest: ClaimRequest,
): Promise<Claim | undefined> => {
  const { workspaceId, key, requestHash, claimId, proofId, leaseMs } = claimRequest;
  const values = [workspaceId, key, requestHash, claimId, proofId, leaseMs];
  const [row] = await em.execute<ClaimRow[]>(CLAIM, values);
  if (!row) return undefined;
  const isFresh = row.proof_id === proofId;
  return { workspaceId, key, claimId, proofId: row.proof_id, isFresh };
};

const READ_RECORD = `
  SELECT request_hash, proof_id, status, sealed_answer FROM idempotency_record
  WHERE workspace_id = ? AND key = ?`;

const readRow = async (
  em: Transaction,
  claimRequest: ClaimRequest,
  secretCipher: SecretCipher,
): Promise<ClaimResult> => {
  const [row] = await em.execute<RecordRow[]>(READ_RECORD, [
    claimRequest.workspaceId,
    claimRequest.key,
  ]);
  // The row that prevented the claim was deleted in the meantime. The call counts as running, so
  // the client retries and can claim the key.
  if (!row) return { kind: 'running' };
  if (row.request_hash !== claimRequest.requestHash) return { kind: 'reused' };
  if (row.status === null || row.sealed_answer === null) return { kind: 'running' };
  try {
    const response = decryptResponse(row.sealed_answer, claimRequest, secretCipher);
    return { kind: 'stored', response: { status: row.status, ...response } };
  } catch {
    // Either no response was stored, or it was encrypted with a key that is not in
    // WITAN_SECRETS_KEY.
    return { kind: 'unreadable', proofId: row.proof_id };
  }
};

/** Rows that have expired and are finished or have no valid lease. */
const EXPIRED = {
  table: 'idempotency_record',
  // The physical position of a row is used instead of its key, which has two columns.
  key: 'ctid',
  since: 'expires_at',
  retentionDays: 0,
  where: "(state = 'done' OR lease_until <= now())",
} as const;
