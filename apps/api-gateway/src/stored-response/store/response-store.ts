import { ServiceError } from '@witan/contracts';
import { sweepRows, workspaceScope } from '@witan/service-kit';
import type { Database, EncryptedTable, SecretCipher, Transaction } from '@witan/service-kit';
import { conversationTooLarge } from '../stored-response.ts';
import type { Reserve, ResponseStore, StoredResponse } from '../stored-response.ts';

type Row = { id: string; previous_id: string; sealed_response: string };
type Size = { bytes: number };
type ChainSize = Size & { count: number; is_whole: boolean; ids: string[] };
type Content = Omit<StoredResponse, 'id' | 'previousId'>;
/** A response to encrypt; the id of the previous one is a column. */
type Sealed = Content & Pick<StoredResponse, 'id'> & { previousId?: string };

const RETENTION_DAYS = 30;
/** Number of responses that a conversation may chain. */
const CHAIN_LENGTH_MAX = 500;
/**
 * Memory that a stored byte takes when it is read: it exists encrypted, as text, parsed, and in the
 * request to which it is added.
 */
const BYTES_PER_STORED_BYTE = 2;
/**
 * Encrypted size of the responses of a conversation that are read at once. Other calls run between
 * the reads, because decrypting and parsing block the event loop.
 */
const BATCH_BYTES = 2 * 1024 * 1024;
/** Encrypted size from which no earlier response of a conversation is read. */
const CHAIN_BYTES_MAX = 48 * 1024 * 1024;

/**
 * Stores responses in PostgreSQL, encrypted and bound to their rows. All times come from the
 * database's clock. A workspace may store up to `bytesMax` encrypted bytes.
 */
export const createResponseStore = (
  database: Database,
  secretCipher: SecretCipher,
  { bytesMax }: { bytesMax: number },
): ResponseStore => {
  const replaceInTurn = createTurns();
  const { encrypt, decrypt } = createCodec(secretCipher);
  const query = <Result>(
    workspaceId: string,
    run: (em: Transaction) => Promise<Result>,
  ): Promise<Result> => database.scoped(workspaceScope(workspaceId), run);
  // A client of `pg`, because MikroORM would write the value into the SQL, which takes a second for
  // 9 MiB and blocks the event loop.
  const write = (workspaceId: string, sql: string, values: unknown[]) =>
    database.scopedClient(workspaceScope(workspaceId), (client) => client.query(sql, values));
  const findRow = (workspaceId: string, id: string, reserve?: Reserve): Promise<Row | undefined> =>
    query(workspaceId, async (em) => {
      const [size] = await em.execute<Size[]>(MEASURE, [workspaceId, id]);
      if (!size) return undefined;
      reserve?.(size.bytes * BYTES_PER_STORED_BYTE);
      const [row] = await em.execute<Row[]>(FIND, [workspaceId, id]);
      return row;
    });
  return {
    save: async (workspaceId, response) => {
      const { id, previousId } = response;
      const sealed = encrypt(workspaceId, response);
      const values = [workspaceId, id, previousId, sealed, bytesMax];
      const { rowCount } = await write(workspaceId, SAVE, values);
      if (rowCount === 0) throw storeFull(bytesMax);
    },
    replace: (workspaceId, ended) =>
      replaceInTurn(workspaceId, async () => {
        const { id, response } = ended;
        const row = response.status === 'failed' ? undefined : await findRow(workspaceId, id);
        const input = row ? decrypt(workspaceId, row).input : [];
        const sealed = encrypt(workspaceId, { ...ended, input });
        await write(workspaceId, REPLACE, [workspaceId, id, sealed]);
      }),
    find: async (workspaceId, id, reserve) => {
      const row = await findRow(workspaceId, id, reserve);
      return row && decrypt(workspaceId, row);
    },
    findChain: async (workspaceId, id, reserve) => {
      const chain = await query(workspaceId, (em) =>
        measureChain(em, { workspaceId, id, reserve }),
      );
      if (!chain) return undefined;
      const responses: StoredResponse[] = [];
      const batch = Math.max(1, Math.floor((BATCH_BYTES * chain.count) / chain.bytes));
      for (let index = 0; index < chain.count; index += batch) {
        const ids = chain.ids.slice(index, index + batch);
        const rows = await query(workspaceId, (em) =>
          em.execute<Row[]>(FIND_ALL, [workspaceId, ids.join()]),
        );
        if (rows.length < ids.length) return undefined;
        const byId = new Map(rows.map((row) => [row.id, row]));
        for (const part of ids) responses.push(decrypt(workspaceId, byId.get(part)!));
      }
      return responses;
    },
    remove: async (workspaceId, id) => {
      const rows = await query(workspaceId, (em) =>
        em.execute<unknown[]>(REMOVE, [workspaceId, id]),
      );
      return rows.length > 0;
    },
  };
};

const createCodec = (secretCipher: SecretCipher) => ({
  encrypt: (workspaceId: string, stored: Sealed): string => {
    const { id, previousId: _, ...content } = stored;
    const text = JSON.stringify(content satisfies Content);
    return secretCipher.encrypt(text, contextOf(workspaceId, id));
  },
  decrypt: (workspaceId: string, row: Row): StoredResponse => {
    const text = secretCipher.decrypt(row.sealed_response, contextOf(workspaceId, row.id));
    const content = JSON.parse(text) as Content;
    return { id: row.id, previousId: row.previous_id, ...content };
  },
});

type ChainQuery = { workspaceId: string; id: string; reserve: Reserve | undefined };

/** Returns the ids and the size of a conversation; undefined if a part of it is not stored. */
const measureChain = async (
  em: Transaction,
  { workspaceId, id, reserve }: ChainQuery,
): Promise<ChainSize | undefined> => {
  const values = [workspaceId, id, workspaceId, CHAIN_LENGTH_MAX, CHAIN_BYTES_MAX];
  const [chain] = await em.execute<ChainSize[]>(CHAIN + MEASURE_CHAIN, values);
  if (chain?.is_whole) {
    reserve?.(chain.bytes * BYTES_PER_STORED_BYTE);
    return chain;
  }
  const { count = 0, bytes = 0 } = chain ?? {};
  if (count >= CHAIN_LENGTH_MAX || bytes >= CHAIN_BYTES_MAX) throw conversationTooLarge();
  return undefined;
};

/**
 * Returns a function that throws RATE_LIMITED if a workspace has no room for `bytes` more. Calls
 * that it admits at once do not see each other; `save` decides.
 */
export const createAssertRoom =
  (database: Database, { bytesMax }: { bytesMax: number }) =>
  async (workspaceId: string, bytes: number): Promise<void> => {
    const [used] = await database.scoped(workspaceScope(workspaceId), (em) =>
      em.execute<Size[]>(USAGE, [workspaceId]),
    );
    if ((used?.bytes ?? 0) + bytes > bytesMax) throw storeFull(bytesMax);
  };

const storeFull = (bytesMax: number): ServiceError =>
  new ServiceError(
    'RATE_LIMITED',
    `The stored responses of this workspace take their limit of ${bytesMax} bytes. Delete some, ` +
      `send "store": false, or wait until the oldest expire, ${RETENTION_DAYS} days after their ` +
      'call.',
    { fields: { code: 'stored_responses_full', retryAfter: '3600' } },
  );

/** Returns a function that runs the works of a key one after the other: one is in memory. */
const createTurns = () => {
  const last = new Map<string, Promise<unknown>>();
  return async (key: string, work: () => Promise<void>): Promise<void> => {
    const run = (last.get(key) ?? Promise.resolve()).then(work);
    const settled = run.catch(() => undefined);
    last.set(key, settled);
    await settled;
    if (last.get(key) === settled) last.delete(key);
    await run;
  };
};

/** Deletes the expired responses of every workspace and resolves with their number. */
export const deleteExpiredResponses = (database: Database): Promise<number> =>
  sweepRows(database, EXPIRED);

const contextOf = (workspaceId: string, id: string): string =>
  `stored_response:${workspaceId}:${id}`;

export const ENCRYPTED_RESPONSES: EncryptedTable = {
  table: 'stored_response',
  key: 'id',
  columns: ['sealed_response'],
  // A row may have tens of MB.
  batchRows: 4,
  contextOf,
};

const SAVE = `
  INSERT INTO stored_response (
    workspace_id, id, previous_id, sealed_response, created_at, expires_at)
  SELECT $1, $2, $3, $4, now(), now() + interval '${RETENTION_DAYS} days'
  WHERE octet_length($4) + coalesce(
    (SELECT bytes FROM stored_response_usage WHERE workspace_id = $1), 0) <= $5
  ON CONFLICT (workspace_id, id) DO UPDATE SET sealed_response = excluded.sealed_response`;

const REPLACE = `
  UPDATE stored_response SET sealed_response = $3 WHERE workspace_id = $1 AND id = $2`;

const FIND = `
  SELECT id, previous_id, sealed_response FROM stored_response
  WHERE workspace_id = ? AND id = ? AND expires_at > now()`;

const USAGE = 'SELECT bytes::float8 AS bytes FROM stored_response_usage WHERE workspace_id = ?';

/** `octet_length` reads the size of a value without its content, unlike `length`. */
const MEASURE = `
  SELECT octet_length(sealed_response) AS bytes FROM stored_response
  WHERE workspace_id = ? AND id = ? AND expires_at > now()`;

const CHAIN = `
  WITH RECURSIVE chain AS (
    SELECT id, previous_id, 1 AS position, octet_length(sealed_response)::bigint AS bytes
    FROM stored_response
    WHERE workspace_id = ? AND id = ? AND expires_at > now()
    UNION ALL
    SELECT earlier.id, earlier.previous_id, chain.position + 1,
      chain.bytes + octet_length(earlier.sealed_response)
    FROM stored_response AS earlier
    JOIN chain ON earlier.id = chain.previous_id
    WHERE earlier.workspace_id = ? AND earlier.expires_at > now()
      AND chain.position < ? AND chain.bytes < ?
  )`;

/** The first response of a whole conversation continues none. */
const MEASURE_CHAIN = `
  SELECT max(bytes)::float8 AS bytes, count(*)::int AS count, bool_or(previous_id = '') AS is_whole,
    array_agg(id ORDER BY position DESC) AS ids
  FROM chain`;

const FIND_ALL = `
  SELECT id, previous_id, sealed_response FROM stored_response
  WHERE workspace_id = ? AND id = ANY (string_to_array(?, ','))`;

const REMOVE = 'DELETE FROM stored_response WHERE workspace_id = ? AND id = ? RETURNING id';

const EXPIRED = {
  table: 'stored_response',
  key: 'ctid',
  since: 'expires_at',
  retentionDays: 0,
} as const;
