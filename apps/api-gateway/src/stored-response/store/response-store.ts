import { ServiceError } from '@witan/contracts';
import type { JsonObject } from '@witan/dialects';
import { sweepRows, workspaceScope, yieldAfter } from '@witan/service-kit';
import type { Database, SecretCipher, Transaction } from '@witan/service-kit';
import { conversationTooLarge } from '../stored-response.ts';
import type {
  EndedResponse,
  FoundResponse,
  Reserve,
  ResponseStore,
  StoredResponse,
} from '../stored-response.ts';
import { createCodec } from './response-codec.ts';
import type { InputRow, Row } from './response-codec.ts';

type Size = { bytes: number };
type ChainSize = Size & { count: number; is_whole: boolean; ids: string[] };

const RETENTION_DAYS = 30;
/** Number of responses that a conversation may chain. */
const CHAIN_LENGTH_MAX = 500;
/**
 * Memory that a stored byte takes when it is read: it exists encrypted, as text, parsed, and in the
 * request to which it is added.
 */
const BYTES_PER_STORED_BYTE = 2;
/** Encrypted size of the responses of a conversation that are read at once. */
const BATCH_BYTES = 2 * 1024 * 1024;
/** Size from which a workspace reads and writes one part at a time. */
const LARGE_BYTES = 1024 * 1024;
/** Encrypted size from which no earlier response of a conversation is read. */
const CHAIN_BYTES_MAX = 48 * 1024 * 1024;

/**
 * Stores responses in PostgreSQL, encrypted and bound to their rows. All times come from the
 * database's clock. A workspace may store up to `bytesMax` encrypted bytes. It reads and writes its
 * large ones one after another, in steps between which calls of others run.
 */
export const createResponseStore = (
  database: Database,
  secretCipher: SecretCipher,
  { bytesMax }: { bytesMax: number },
): ResponseStore => {
  const takeTurn = createTurns();
  const inTurn = <T>(workspaceId: string, bytes: number, work: () => Promise<T>): Promise<T> =>
    bytes < LARGE_BYTES ? work() : takeTurn(workspaceId, work);
  const codec = createCodec(secretCipher);
  const inScope = <T>(workspaceId: string, run: (em: Transaction) => Promise<T>): Promise<T> =>
    database.scoped(workspaceScope(workspaceId), run);
  // A client of `pg`, because MikroORM would write the value into the SQL, which takes a second for
  // 9 MiB and blocks the event loop.
  const write = (workspaceId: string, sql: string, values: unknown[]) =>
    database.scopedClient(workspaceScope(workspaceId), (client) => client.query(sql, values));
  const read = <R extends object>(workspaceId: string, sql: string, values: unknown[]) =>
    inScope(workspaceId, (em) => em.execute<R[]>(sql, values));
  /** Reads a part of a response in turn, after memory for it was reserved. */
  const readPart = async <T>(
    [workspaceId, id, reserve]: PartQuery,
    sql: typeof RESPONSE_PART,
    decrypt: (workspaceId: string, row: WholeRow) => Promise<T>,
  ): Promise<T | undefined> => {
    const [size] = await read<Size>(workspaceId, sql.measure, [workspaceId, id]);
    if (!size) return undefined;
    reserve?.(size.bytes * BYTES_PER_STORED_BYTE);
    return inTurn(workspaceId, size.bytes, async () => {
      const [row] = await read<WholeRow>(workspaceId, sql.find, [workspaceId, id]);
      return row && (await decrypt(workspaceId, row));
    });
  };
  return {
    save: async (workspaceId, { previousId, input, ...response }) => {
      const inputText = JSON.stringify(input);
      await yieldAfter(inputText.length);
      await inTurn(workspaceId, inputText.length, async () => {
        const sealedInput = await codec.encrypt(workspaceId, response.id, inputText);
        const sealed = await codec.encryptResponse(workspaceId, response);
        const values = [workspaceId, response.id, previousId, sealed, sealedInput, bytesMax];
        const { rowCount } = await write(workspaceId, SAVE, values);
        if (rowCount === 0) throw storeFull(bytesMax);
      });
    },
    replace: async (workspaceId, ended) => {
      const sealed = await codec.encryptResponse(workspaceId, ended);
      await write(workspaceId, REPLACE, [workspaceId, ended.id, sealed, !isFailed(ended)]);
    },
    find: (...query) => readPart<FoundResponse>(query, RESPONSE_PART, codec.decryptResponse),
    findInput: (...query) => readPart<readonly JsonObject[]>(query, INPUT_PART, codec.decryptInput),
    findChain: async (workspaceId, id, reserve) => {
      const chainQuery = { workspaceId, id, reserve };
      const chain = await inScope(workspaceId, (em) => measureChain(em, chainQuery));
      if (!chain) return undefined;
      return inTurn(workspaceId, chain.bytes, async () => {
        const responses: StoredResponse[] = [];
        for (const ids of toBatches(chain)) {
          const rows = await read<WholeRow>(workspaceId, FIND_ALL, [workspaceId, ids.join()]);
          if (rows.length < ids.length) return undefined;
          for (const row of toOrder(rows, ids)) {
            responses.push(await codec.decryptWhole(workspaceId, row));
          }
        }
        return responses;
      });
    },
    remove: async (workspaceId, id) =>
      (await read(workspaceId, REMOVE, [workspaceId, id])).length > 0,
  };
};

const isFailed = ({ response }: EndedResponse): boolean => response.status === 'failed';

type PartQuery = [workspaceId: string, id: string, reserve?: Reserve];

/** Returns the ids of a conversation in the parts that are read at once. */
const toBatches = ({ ids, count, bytes }: ChainSize): string[][] => {
  const batch = Math.max(1, Math.floor((BATCH_BYTES * count) / bytes));
  const starts = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch);
  return starts.map((start) => ids.slice(start, start + batch));
};

type WholeRow = Row & InputRow;

const toOrder = (rows: readonly WholeRow[], ids: readonly string[]): WholeRow[] => {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)!);
};

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

/** Returns a function that runs the works of a key one after the other. */
const createTurns = () => {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const run = (last.get(key) ?? Promise.resolve()).then(work);
    const settled = run.catch(() => undefined);
    last.set(key, settled);
    await settled;
    if (last.get(key) === settled) last.delete(key);
    return await run;
  };
};

/** Deletes the expired responses of every workspace and resolves with their number. */
export const deleteExpiredResponses = (database: Database): Promise<number> =>
  sweepRows(database, EXPIRED);

const SAVE = `
  INSERT INTO stored_response (
    workspace_id, id, previous_id, sealed_response, sealed_input, created_at, expires_at)
  SELECT $1, $2, $3, $4, $5, now(), now() + interval '${RETENTION_DAYS} days'
  WHERE octet_length($4) + octet_length($5) + coalesce(
    (SELECT bytes FROM stored_response_usage WHERE workspace_id = $1), 0) <= $6
  ON CONFLICT (workspace_id, id) DO UPDATE
  SET sealed_response = excluded.sealed_response, sealed_input = excluded.sealed_input`;

const REPLACE = `
  UPDATE stored_response
  SET sealed_response = $3, sealed_input = CASE WHEN $4 THEN sealed_input END
  WHERE workspace_id = $1 AND id = $2`;

/** `octet_length` reads the size of a value without its content, unlike `length`. */
const RESPONSE_PART = {
  measure: `
    SELECT octet_length(sealed_response) AS bytes FROM stored_response
    WHERE workspace_id = ? AND id = ? AND expires_at > now()`,
  find: `
    SELECT id, previous_id, sealed_response FROM stored_response
    WHERE workspace_id = ? AND id = ? AND expires_at > now()`,
};

const INPUT_PART: typeof RESPONSE_PART = {
  measure: `
    SELECT octet_length(coalesce(sealed_input, sealed_response)) AS bytes FROM stored_response
    WHERE workspace_id = ? AND id = ? AND expires_at > now()`,
  find: `
    SELECT id, sealed_input,
      CASE WHEN sealed_input IS NULL THEN sealed_response END AS sealed_response
    FROM stored_response WHERE workspace_id = ? AND id = ? AND expires_at > now()`,
};

const USAGE = 'SELECT bytes::float8 AS bytes FROM stored_response_usage WHERE workspace_id = ?';

/** Encrypted size of a response with its input. */
const bytesOf = (row: string): string =>
  `(octet_length(${row}.sealed_response) + coalesce(octet_length(${row}.sealed_input), 0))::bigint`;

const CHAIN = `
  WITH RECURSIVE chain AS (
    SELECT id, previous_id, 1 AS position, ${bytesOf('stored_response')} AS bytes
    FROM stored_response
    WHERE workspace_id = ? AND id = ? AND expires_at > now()
    UNION ALL
    SELECT earlier.id, earlier.previous_id, chain.position + 1,
      chain.bytes + ${bytesOf('earlier')}
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
  SELECT id, previous_id, sealed_response, sealed_input FROM stored_response
  WHERE workspace_id = ? AND id = ANY (string_to_array(?, ','))`;

const REMOVE = 'DELETE FROM stored_response WHERE workspace_id = ? AND id = ? RETURNING id';

const EXPIRED = {
  table: 'stored_response',
  key: 'ctid',
  since: 'expires_at',
  retentionDays: 0,
} as const;
