import { toBinary } from '@bufbuild/protobuf';
import { DraftSchema } from '@witan/contracts';
import { genesisHash } from '@witan/proof';
import { SCOPE_SETTING, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { Pool } from 'pg';
import type { CertificateReader } from '../domain/certificate/ports.ts';
import type { ChainHead } from '../domain/certificate/seal-certificates.ts';
import type {
  Append,
  BookStorage,
  BookWrite,
  CommitProblems,
  SealedGroup,
} from '../domain/book/write.ts';

/** The books in Postgres. The hot statement runs on `pg` with a named prepared statement. */
export const createBookStore = (
  database: Database,
  certificates: CertificateReader,
  issuer: string,
): BookStorage => ({
  commit: (writes, groups, keyId) => commit(database.pool, writes, groups, keyId),
  loadHeads: (workspaceIds) => loadHeads(database.pool, workspaceIds, issuer),
  findCertificate: certificates.find,
});

const COMMIT = {
  name: 'write_books',
  text: `SELECT problem, subject FROM write_books(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
    $21)`,
};

type ProblemRow = { problem: 'taken' | 'unreserved' | 'moved'; subject: string };

const commit = async (
  pool: Pool,
  writes: readonly Exclude<BookWrite, Append>[],
  groups: readonly SealedGroup[],
  keyId: string,
): Promise<CommitProblems> => {
  const reserves = writes.filter((write) => write.kind === 'reserve');
  const releases = writes.filter((write) => write.kind === 'release');
  const certificates = groups.flatMap((group) => group.certificates);
  const everyone = [...writes, ...groups].map(({ workspaceId }) => workspaceId);
  const { rows } = await pool.query<ProblemRow>({
    ...COMMIT,
    values: [
      workspaceScope(...new Set(everyone)).setting,
      reserves.map((r) => r.proofId),
      reserves.map((r) => r.workspaceId),
      reserves.map((r) => r.amount),
      reserves.map((r) => (r.intent ? Buffer.from(toBinary(DraftSchema, r.intent)) : null)),
      reserves.map((r) => r.expiresInMs),
      releases.map((r) => r.proofId),
      releases.map((r) => r.workspaceId),
      groups.map((g) => g.workspaceId),
      groups.map((g) => g.before.chainIndex),
      groups.map((g) => g.before.hash),
      groups.map((g) => g.after.chainIndex),
      groups.map((g) => g.after.hash),
      groups.map((g) => new Date(g.after.issuedAt)),
      certificates.map((c) => c.id),
      certificates.map((c) => c.workspaceId),
      certificates.map((c) => c.chainIndex),
      certificates.map((c) => c.payload),
      certificates.map((c) => c.payloadHash),
      certificates.map((c) => c.signature),
      keyId,
    ],
  });
  const subjects = (kind: ProblemRow['problem']): Set<string> =>
    new Set(rows.filter(({ problem }) => problem === kind).map(({ subject }) => subject));
  return {
    moved: subjects('moved'),
    unreserved: subjects('unreserved'),
    taken: subjects('taken'),
  };
};

type HeadRow = { workspace_id: string; chain_index: string; hash: string; issued_at: Date };

const loadHeads = async (
  pool: Pool,
  workspaceIds: readonly string[],
  issuer: string,
): Promise<Map<string, ChainHead>> => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const scope = workspaceScope(...workspaceIds).setting;
    await client.query('SELECT set_config($1, $2, true)', [SCOPE_SETTING, scope]);
    await client.query(
      `INSERT INTO chain_head (workspace_id, chain_index, hash, issued_at)
       SELECT t.id, -1, t.hash, 'epoch' FROM unnest($1::text[], $2::text[]) AS t (id, hash)
       ON CONFLICT (workspace_id) DO NOTHING`,
      [workspaceIds, workspaceIds.map((id) => genesisHash(issuer, id))],
    );
    const { rows } = await client.query<HeadRow>(
      `SELECT workspace_id, chain_index, hash, issued_at FROM chain_head
       WHERE workspace_id = ANY ($1)`,
      [workspaceIds],
    );
    await client.query('COMMIT');
    client.release();
    return new Map(
      rows.map((row) => [
        row.workspace_id,
        {
          chainIndex: Number(row.chain_index),
          hash: row.hash,
          issuedAt: row.issued_at.getTime(),
        },
      ]),
    );
  } catch (error) {
    // The connection's state is unknown: give it up instead of returning it to the pool.
    client.release(true);
    throw error;
  }
};
