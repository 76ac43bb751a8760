import type { Log } from '../log/create-log.ts';
import type { Database } from '../database/open-database.ts';
import { everyWorkspace } from '../database/scope.ts';
import { repeatEvery } from '../schedule/repeat-every.ts';
import type { SecretCipher } from './secret-cipher.ts';

/**
 * A table with encrypted secrets. The names of the table, key and columns become part of the SQL
 * and must not come from client input.
 */
export type EncryptedTable = {
  table: string;
  key: string;
  columns: readonly string[];
  contextOf: (workspaceId: string, key: string) => string;
  /** Number of rows that are read at once; 500 by default. Large rows need a smaller one. */
  batchRows?: number;
};

const BATCH_ROWS = 500;
/**
 * Interval of repeated passes, which find secrets that other processes have encrypted with an older
 * key in the meantime.
 */
const PASS_INTERVAL_MS = 60_000;

/**
 * Reencrypts every secret that is not encrypted with the first key, so that older keys can be
 * removed. Does nothing if there is only one key. Runs in the background, in repeated passes;
 * several replicas may run it concurrently. Secrets that no key decrypts are left unchanged and
 * their number is logged.
 */
export const startReencryption = (
  database: Database,
  secretCipher: SecretCipher,
  { log, ...encrypted }: EncryptedTable & { log: Log },
): { stop: () => Promise<void> } => {
  if (!secretCipher.hasOtherKeys) return { stop: async () => {} };
  const stopping = new AbortController();
  const pass = { ...encrypted, signal: stopping.signal };
  const { table } = encrypted;
  const runPass = async (): Promise<void> => {
    const { reencrypted, undecryptable } = await reencryptRows(database, secretCipher, pass);
    if (stopping.signal.aborted) return;
    log.info(
      { event: 'secrets_reencryption_finished', table, reencrypted },
      'Re-encryption pass finished',
    );
    if (undecryptable > 0)
      log.warn(
        { event: 'secrets_undecryptable', table, undecryptable },
        'Some secrets cannot be decrypted with any secrets key',
      );
  };
  const onFailure = (err: unknown): void =>
    log.warn(
      { event: 'secrets_reencryption_failed', err, table },
      'A re-encryption pass failed, the next pass will retry',
    );
  const firstPass = runPass().catch(onFailure);
  const repetition = repeatEvery(PASS_INTERVAL_MS, runPass, onFailure);
  return {
    stop: async () => {
      stopping.abort();
      await firstPass;
      await repetition.stop();
    },
  };
};

type ReencryptionPass = EncryptedTable & { signal: AbortSignal };
type Row = { workspaceId: string; key: string } & Record<string, string | null>;
type Counts = { reencrypted: number; undecryptable: number };

const reencryptRows = async (
  database: Database,
  secretCipher: SecretCipher,
  pass: ReencryptionPass,
): Promise<Counts> => {
  const counts: Counts = { reencrypted: 0, undecryptable: 0 };
  const { batchRows = BATCH_ROWS } = pass;
  let lastKey: [string, string] = ['', ''];
  while (!pass.signal.aborted) {
    const rows = await database.scoped(everyWorkspace, (em) =>
      em.execute<Row[]>(selectSql(pass), [...lastKey, batchRows]),
    );
    for (const row of rows) await reencryptRow(row, { database, secretCipher, pass, counts });
    if (rows.length < batchRows) break;
    const { workspaceId, key } = rows.at(-1)!;
    lastKey = [workspaceId, key];
  }
  return counts;
};

type RowContext = {
  database: Database;
  secretCipher: SecretCipher;
  pass: ReencryptionPass;
  counts: Counts;
};

/**
 * Reencrypts the secrets of one row. Each secret has its own transaction, so that no transaction
 * waits for one row lock while it has another.
 */
const reencryptRow = async (
  row: Row,
  { database, secretCipher, pass, counts }: RowContext,
): Promise<void> => {
  const { workspaceId, key } = row;
  for (const column of pass.columns) {
    const secret = row[column];
    if (typeof secret !== 'string' || pass.signal.aborted) continue;
    let reencryptedSecret: string | undefined;
    try {
      reencryptedSecret = secretCipher.reencrypt(secret, pass.contextOf(workspaceId, key));
    } catch {
      counts.undecryptable += 1;
    }
    if (reencryptedSecret === undefined) continue;
    const values = [reencryptedSecret, workspaceId, key, secret];
    const updatedRows = await database.scoped(everyWorkspace, (em) =>
      em.execute<object[]>(updateSql(pass, column), values),
    );
    counts.reencrypted += updatedRows.length;
  }
};

const selectSql = ({ table, key, columns }: EncryptedTable): string => `
  SELECT workspace_id AS "workspaceId", ${key} AS key, ${columns.join(', ')} FROM ${table}
  WHERE (workspace_id, ${key}) > (?, ?) ORDER BY workspace_id, ${key} LIMIT ?`;

/**
 * Returns SQL that updates a secret only if it is unchanged, because its owner may have replaced it
 * in the meantime.
 */
const updateSql = ({ table, key }: EncryptedTable, column: string): string => `
  UPDATE ${table} SET ${column} = ? WHERE workspace_id = ? AND ${key} = ? AND ${column} = ?
  RETURNING ${key}`;
