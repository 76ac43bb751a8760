import { genesisHash } from '@witan/proof';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { DatabaseError } from 'pg';
import type { Pool } from 'pg';
import type {
  CertificateReader,
  ChainHead,
  NewCertificate,
} from '../../chain/sign-certificates.ts';
import { KeyRetiredError } from '../../signing-key/keyring.ts';
import type {
  Append,
  LedgerStorage,
  LedgerWrite,
  CommitProblems,
  ProofIdState,
  Reserve,
  SignedGroup,
} from '../ledger-write.ts';
import {
  encodeBigints,
  encodeBooleans,
  encodeIntegers,
  encodeTexts,
  encodeTimes,
  encodeUtf8,
} from './encode-array.ts';

export type Metering = {
  isMetered: boolean;
  openingCredit: number;
};

export const createLedgerStore = (
  database: Database,
  certificates: CertificateReader,
  { issuer, metering }: { issuer: string; metering: Metering },
): LedgerStorage => ({
  commit: (writes, groups, keyId) => commit(database.pool, writes, groups, { keyId, metering }),
  loadHeads: (workspaceIds) => loadHeads(database, workspaceIds, issuer),
  findCertificate: certificates.findSettling,
});

const COMMIT = {
  name: 'commit_attributed_writes',
  text: `SELECT problem, subject, amount FROM commit_attributed_writes($1, $2, $3, $4,
    ROW($5, $6, $7, $8, $9, $10)::reserve_columns, ROW($11, $12, $13)::release_columns,
    ROW($14, $15, $16, $17, $18, $19)::head_columns,
    ROW($20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31)::attributed_columns)`,
};

/** `commit_common_writes` does not read the members that are null. */
const COMMIT_COMMON = {
  name: 'commit_common_writes',
  text: `SELECT FROM commit_common_writes($1, $2, $3,
    ROW($4, $5, $6, NULL, $7, $8)::reserve_columns,
    ROW($9, $10, $11, $12, $13, $14)::head_columns,
    ROW($15, $16, NULL, $17, $18, $19, $20, $21, $22, $23, $24, $25)::attributed_columns)`,
};

type Release = Extract<LedgerWrite, { kind: 'release' }>;

type ProblemRow = {
  problem: Exclude<keyof CommitProblems, 'taken'> | ProofIdState;
  subject: string;
  amount: string | null;
};

type CommitOptions = { keyId: string; metering: Metering };
type OtherWrite = Exclude<LedgerWrite, Append>;

const commit = async (
  pool: Pool,
  writes: readonly OtherWrite[],
  groups: readonly SignedGroup[],
  options: CommitOptions,
): Promise<CommitProblems> =>
  (await commitCommon(pool, writes, groups, options))
    ? toProblems([])
    : await commitAny(pool, writes, groups, options);

/** WT002, and the violations of unique and check constraints. */
const UNCOMMON_CODES: ReadonlySet<string> = new Set(['WT002', '23505', '23514']);

/** Returns false, without a commit, if anything in the commit is uncommon. */
const commitCommon = async (
  pool: Pool,
  writes: readonly OtherWrite[],
  groups: readonly SignedGroup[],
  { keyId, metering }: CommitOptions,
): Promise<boolean> => {
  const reserves = writes.filter((write) => write.kind === 'reserve');
  const isRenamed = groups.some(({ settles }) => settles && settles.size > 0);
  if (reserves.length < writes.length || isRenamed) return false;
  const sortedGroups = groups.toSorted((a, b) => compareText(a.workspaceId, b.workspaceId));
  const certificates = groups
    .flatMap((group) => group.certificates)
    .toSorted((a, b) => compareText(a.id, b.id));
  const [ids, workspaceIds, amounts, _minimums, intents, lifetimes] = toReserveColumns(
    reserves.toSorted((a, b) => compareText(a.proofId, b.proofId)),
  );
  const values = [
    toScope(writes, groups),
    metering.isMetered,
    keyId,
    ...[ids, workspaceIds, amounts, intents, lifetimes],
    ...toHeadColumns(sortedGroups),
    ...toCertificateColumns(certificates),
  ];
  const client = await pool.connect();
  try {
    await client.query({ ...COMMIT_COMMON, values });
    client.release();
    return true;
  } catch (error) {
    const isUncommon = error instanceof DatabaseError && UNCOMMON_CODES.has(error.code ?? '');
    // Unlike `pool.query`, this retains the connection, with its prepared statements.
    client.release(!isUncommon);
    if (isUncommon) return false;
    throw error;
  }
};

const commitAny = async (
  pool: Pool,
  writes: readonly OtherWrite[],
  groups: readonly SignedGroup[],
  { keyId, metering }: CommitOptions,
): Promise<CommitProblems> => {
  const reserves = writes
    .filter((write) => write.kind === 'reserve')
    .toSorted((a, b) => compareText(a.workspaceId, b.workspaceId));
  const releases = writes.filter((write) => write.kind === 'release');
  const certificates = groups.flatMap((group) => group.certificates);
  const settled = groups.flatMap((group) =>
    group.certificates.map(({ id }) => group.settles?.get(id) ?? id),
  );
  const [ids, workspaceIds, ...columns] = toCertificateColumns(certificates);
  const values = [
    toScope(writes, groups),
    metering.isMetered,
    metering.openingCredit,
    keyId,
    ...toReserveColumns(reserves),
    ...toReleaseColumns(releases),
    ...toHeadColumns(groups),
    ...[ids, workspaceIds, encodeTexts(settled), ...columns],
  ];
  const { rows } = await pool.query<ProblemRow>({ ...COMMIT, values }).catch((error: unknown) => {
    const isRetired = error instanceof DatabaseError && error.code === KEY_NOT_CURRENT_CODE;
    throw isRetired ? new KeyRetiredError(error.message, { cause: error }) : error;
  });
  return toProblems(rows);
};

const KEY_NOT_CURRENT_CODE = 'WT001';

const toScope = (...lists: readonly (readonly { workspaceId: string }[])[]): string =>
  workspaceScope(...new Set(lists.flat().map(({ workspaceId }) => workspaceId))).setting;

// Each of the following functions returns the columns in the order of its type in migration 0006 or
// 0007.

const toReserveColumns = (reserves: readonly Reserve[]): Buffer[] => [
  encodeTexts(reserves.map((r) => r.proofId)),
  encodeTexts(reserves.map((r) => r.workspaceId)),
  encodeBigints(reserves.map((r) => r.amount)),
  encodeBigints(reserves.map((r) => r.minimum)),
  encodeUtf8(reserves.map((r) => (r.intent ? JSON.stringify(r.intent) : null))),
  encodeIntegers(reserves.map((r) => r.expiresInMs)),
];

const toReleaseColumns = (releases: readonly Release[]): Buffer[] => [
  encodeTexts(releases.map((r) => r.proofId)),
  encodeTexts(releases.map((r) => r.workspaceId)),
  encodeBooleans(releases.map((r) => r.onlyUnsent ?? false)),
];

const toHeadColumns = (groups: readonly SignedGroup[]): Buffer[] => [
  encodeTexts(groups.map((g) => g.workspaceId)),
  encodeBigints(groups.map((g) => g.before.chainIndex)),
  encodeTexts(groups.map((g) => g.before.hash)),
  encodeBigints(groups.map((g) => g.after.chainIndex)),
  encodeTexts(groups.map((g) => g.after.hash)),
  encodeTimes(groups.map((g) => g.after.issuedAt)),
];

/** Without `reservation_id`, the third one. */
const toCertificateColumns = (certificates: readonly NewCertificate[]): Buffer[] => [
  encodeTexts(certificates.map((c) => c.id)),
  encodeTexts(certificates.map((c) => c.workspaceId)),
  encodeBigints(certificates.map((c) => c.chainIndex)),
  encodeTexts(certificates.map((c) => c.payload)),
  encodeTexts(certificates.map((c) => c.payloadHash)),
  encodeTexts(certificates.map((c) => c.signature)),
  encodeBigints(certificates.map((c) => c.usageTokens)),
  encodeTexts(certificates.map((c) => c.apiKeyId)),
  encodeBigints(certificates.map((c) => c.durationMs)),
  encodeBigints(certificates.map((c) => c.cachedTokens)),
  encodeBigints(certificates.map((c) => c.cacheWriteTokens)),
];

const PROOF_ID_STATES: ReadonlySet<string> = new Set<ProofIdState>([
  'open',
  'settled',
  'released',
  'foreign',
]);

const toProblems = (rows: readonly ProblemRow[]): CommitProblems => {
  const subjects = (kind: ProblemRow['problem']): string[] =>
    rows.filter(({ problem }) => problem === kind).map(({ subject }) => subject);
  const taken = new Map(
    rows.flatMap(({ problem, subject }) =>
      PROOF_ID_STATES.has(problem) ? [[subject, problem as ProofIdState] as const] : [],
    ),
  );
  const held = new Map(
    rows.flatMap(({ problem, subject, amount }) =>
      problem === 'held' ? [[subject, BigInt(amount!)] as const] : [],
    ),
  );
  // The SQL function checks the balance before the id, so it also reports ids that exist already as
  // short or busy; those are filtered out.
  const isNew = (id: string): boolean => !held.has(id) && !taken.has(id);
  return {
    moved: new Set(subjects('moved')),
    unreserved: new Set(subjects('unreserved')),
    taken,
    short: new Set(subjects('short').filter(isNew)),
    busy: new Set(subjects('busy').filter(isNew)),
    held,
  };
};

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

type HeadRow = { workspace_id: string; chain_index: string; hash: string; issued_at: Date };

const loadHeads = (
  database: Pick<Database, 'scopedClient'>,
  workspaceIds: readonly string[],
  issuer: string,
): Promise<Map<string, ChainHead>> =>
  database.scopedClient(workspaceScope(...workspaceIds), async (client) => {
    await client.query(
      // The rows are sorted, because replicas that start the same chains concurrently could
      // deadlock otherwise.
      `INSERT INTO chain_head (workspace_id, chain_index, hash, issued_at)
       SELECT t.id, -1, t.hash, 'epoch' FROM unnest($1::text[], $2::text[]) AS t (id, hash)
       ORDER BY t.id
       ON CONFLICT (workspace_id) DO NOTHING`,
      [workspaceIds, workspaceIds.map((id) => genesisHash(issuer, id))],
    );
    const { rows } = await client.query<HeadRow>(
      `SELECT workspace_id, chain_index, hash, issued_at FROM chain_head
       WHERE workspace_id = ANY ($1)`,
      [workspaceIds],
    );
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
  });
