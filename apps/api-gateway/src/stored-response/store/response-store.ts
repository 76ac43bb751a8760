import { sweepRows, workspaceScope } from '@witan/service-kit';
import type { Database, EncryptedTable, SecretCipher, Transaction } from '@witan/service-kit';
import { conversationTooLarge } from '../stored-response.ts';
import type { ResponseStore, StoredResponse } from '../stored-response.ts';

type Row = { id: string; previous_id: string; sealed_response: string };
type ChainRow = Row & { bytes: string };
type Content = Omit<StoredResponse, 'id' | 'previousId'>;

const RETENTION_DAYS = 30;
/** Number of responses that a conversation may chain. */
const CHAIN_LENGTH_MAX = 500;
/** Encrypted size from which no earlier response of a conversation is read. */
const CHAIN_BYTES_MAX = 48 * 1024 * 1024;

/**
 * Stores responses in PostgreSQL, encrypted and bound to their rows. All times come from the
 * database's clock.
 */
export const createResponseStore = (
  database: Database,
  secretCipher: SecretCipher,
): ResponseStore => {
  const encrypt = (workspaceId: string, stored: StoredResponse): string => {
    const { id, previousId: _, ...content } = stored;
    return secretCipher.encrypt(
      JSON.stringify(content satisfies Content),
      contextOf(workspaceId, id),
    );
  };
  const decrypt = (workspaceId: string, row: Row): StoredResponse => {
    const text = secretCipher.decrypt(row.sealed_response, contextOf(workspaceId, row.id));
    const content = JSON.parse(text) as Content;
    return { id: row.id, previousId: row.previous_id, ...content };
  };
  const query = <Result>(
    workspaceId: string,
    run: (em: Transaction) => Promise<Result>,
  ): Promise<Result> => database.scoped(workspaceScope(workspaceId), run);
  return {
    save: async (workspaceId, response) => {
      const { id, previousId } = response;
      const sealed = encrypt(workspaceId, response);
      await query(workspaceId, (em) => em.execute(SAVE, [workspaceId, id, previousId, sealed]));
    },
    replace: async (workspaceId, response) => {
      const sealed = encrypt(workspaceId, response);
      await query(workspaceId, (em) => em.execute(REPLACE, [sealed, workspaceId, response.id]));
    },
    find: async (workspaceId, id) => {
      const [row] = await query(workspaceId, (em) => em.execute<Row[]>(FIND, [workspaceId, id]));
      return row && decrypt(workspaceId, row);
    },
    findChain: async (workspaceId, id) => {
      const values = [workspaceId, id, workspaceId, CHAIN_LENGTH_MAX, CHAIN_BYTES_MAX];
      const rows = await query(workspaceId, (em) => em.execute<ChainRow[]>(FIND_CHAIN, values));
      // The first response of a conversation continues none; if it does, its predecessor was not
      // read, or it was deleted.
      const [first] = rows;
      if (first?.previous_id !== '') {
        const isLimited =
          rows.length >= CHAIN_LENGTH_MAX || Number(first?.bytes) >= CHAIN_BYTES_MAX;
        if (isLimited) throw conversationTooLarge();
        return undefined;
      }
      return rows.map((row) => decrypt(workspaceId, row));
    },
    remove: async (workspaceId, id) => {
      const rows = await query(workspaceId, (em) =>
        em.execute<unknown[]>(REMOVE, [workspaceId, id]),
      );
      return rows.length > 0;
    },
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
  VALUES (?, ?, ?, ?, now(), now() + interval '${RETENTION_DAYS} days')
  ON CONFLICT (workspace_id, id) DO UPDATE SET sealed_response = excluded.sealed_response`;

const REPLACE = `
  UPDATE stored_response SET sealed_response = ? WHERE workspace_id = ? AND id = ?`;

const FIND = `
  SELECT id, previous_id, sealed_response FROM stored_response
  WHERE workspace_id = ? AND id = ? AND expires_at > now()`;

const FIND_CHAIN = `
  WITH RECURSIVE chain AS (
    SELECT id, previous_id, sealed_response, 1 AS position, length(sealed_response)::bigint AS bytes
    FROM stored_response
    WHERE workspace_id = ? AND id = ? AND expires_at > now()
    UNION ALL
    SELECT earlier.id, earlier.previous_id, earlier.sealed_response, chain.position + 1,
      chain.bytes + length(earlier.sealed_response)
    FROM stored_response AS earlier
    JOIN chain ON earlier.id = chain.previous_id
    WHERE earlier.workspace_id = ? AND earlier.expires_at > now()
      AND chain.position < ? AND chain.bytes < ?
  )
  SELECT id, previous_id, sealed_response, bytes FROM chain ORDER BY position DESC`;

const REMOVE = 'DELETE FROM stored_response WHERE workspace_id = ? AND id = ? RETURNING id';

const EXPIRED = {
  table: 'stored_response',
  key: 'ctid',
  since: 'expires_at',
  retentionDays: 0,
} as const;
