import type { Log } from '../log/create-log.ts';
import type { Database } from '../database/open-database.ts';
import { everyWorkspace } from '../database/scope.ts';
import type { Sealer } from './sealer.ts';

/** Where sealed secrets are; names of the code's own, none of a caller. */
export type SealedTable = {
  table: string;
  /** Names a row in its workspace. */
  key: string;
  columns: readonly string[];
  /** What the secrets of a row were sealed for. */
  contextOf: (workspaceId: string, key: string) => string;
};

/** A pass over all that is sealed. */
export type Resealing = {
  /** Resolves when the pass has ended; it does not reject. */
  done: Promise<void>;
  /** Ends it before its time. */
  stop: () => Promise<void>;
};

const BATCH_ROWS = 500;

/**
 * Seals anew, behind what the service does, whatever was sealed with an older key: then that key
 * can be taken out. What no key opens stays, and is told. Replicas may do it at once.
 */
export const startResealing = (
  database: Database,
  sealer: Sealer,
  { log, ...sealed }: SealedTable & { log: Log },
): Resealing => {
  const stopping = new AbortController();
  const pass = { ...sealed, signal: stopping.signal };
  const done = sealer.hasOlderKeys ? resealAll(database, sealer, { pass, log }) : Promise.resolve();
  return {
    done,
    stop: () => {
      stopping.abort();
      return done;
    },
  };
};

const resealAll = async (
  database: Database,
  sealer: Sealer,
  { pass, log }: { pass: Pass; log: Log },
): Promise<void> => {
  const { table } = pass;
  try {
    const { resealed, unopened } = await resealRows(database, sealer, pass);
    log.info({ table, resealed }, 'sealed anew with the first secrets key');
    if (unopened > 0) log.warn({ table, unopened }, 'no secrets key opens some of the secrets');
  } catch (err) {
    log.warn({ err, table }, 'not all was sealed anew; the next start goes on');
  }
};

type Pass = SealedTable & { signal: AbortSignal };
type Row = { workspaceId: string; key: string } & Record<string, string | null>;
type Counts = { resealed: number; unopened: number };

const resealRows = async (database: Database, sealer: Sealer, pass: Pass): Promise<Counts> => {
  const counts: Counts = { resealed: 0, unopened: 0 };
  let after: [string, string] = ['', ''];
  while (!pass.signal.aborted) {
    const rows = await database.scoped(everyWorkspace, (em) =>
      em.execute<Row[]>(selectSql(pass), [...after, BATCH_ROWS]),
    );
    for (const row of rows) await resealRow(row, { database, sealer, pass, counts });
    if (rows.length < BATCH_ROWS) break;
    const { workspaceId, key } = rows.at(-1)!;
    after = [workspaceId, key];
  }
  return counts;
};

type Work = { database: Database; sealer: Sealer; pass: Pass; counts: Counts };

/** Each secret by itself: this waits for no lock while it has one. */
const resealRow = async (row: Row, { database, sealer, pass, counts }: Work): Promise<void> => {
  const { workspaceId, key } = row;
  for (const column of pass.columns) {
    const secret = row[column];
    if (typeof secret !== 'string' || pass.signal.aborted) continue;
    let changed: string | undefined;
    try {
      changed = sealer.reseal(secret, pass.contextOf(workspaceId, key));
    } catch {
      // Counted, and told with the others: whoever needs it is told why it cannot be opened.
      counts.unopened += 1;
    }
    if (changed === undefined) continue;
    const values = [changed, workspaceId, key, secret];
    await database.scoped(everyWorkspace, (em) => em.execute(updateSql(pass, column), values));
    counts.resealed += 1;
  }
};

const selectSql = ({ table, key, columns }: SealedTable): string => `
  SELECT workspace_id AS "workspaceId", ${key} AS key, ${columns.join(', ')} FROM ${table}
  WHERE (workspace_id, ${key}) > (?, ?) ORDER BY workspace_id, ${key} LIMIT ?`;

/** Only where it is still the same: its owner may have given another one meanwhile. */
const updateSql = ({ table, key }: SealedTable, column: string): string => `
  UPDATE ${table} SET ${column} = ? WHERE workspace_id = ? AND ${key} = ? AND ${column} = ?`;
