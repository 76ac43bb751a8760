import { expect } from '@jest/globals';
import { eventually } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { Client } from 'pg';

/** Violations per invariant, as the ledger counts them. */
export type Faults = Readonly<Record<string, number>>;

export const SOUND: Faults = { balance: 0, held: 0, settled: 0, usage: 0, certified: 0 };

/** A nonexistent workspace whose account has a token without an entry. */
const MARKER = 'ws_marker';

/** Changes the ledger as the server's admin, who bypasses row-level security. */
export const changeBooks = async (
  { databaseUrl }: Pick<TestSystem, 'databaseUrl'>,
  ...statements: string[]
): Promise<void> => {
  const admin = new Client({ connectionString: databaseUrl });
  await admin.connect();
  try {
    // Triggers forbid changes of the ledger; the replica role skips them.
    await admin.query(`SET session_replication_role = 'replica'`);
    for (const statement of statements) await admin.query(statement);
  } finally {
    await admin.end();
  }
};

/** `ledger_book_faults` of a running system. */
export const readFaults = async ({ adminUrls }: Pick<TestSystem, 'adminUrls'>): Promise<Faults> => {
  const text = await (await fetch(`${adminUrls['ledger']}/metrics`)).text();
  const found = text.matchAll(/^ledger_book_faults\{invariant="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, name = '', count]) => [name, Number(count)]));
};

export const expectFaults = async (system: TestSystem, expected: Faults): Promise<void> => {
  let last: Faults = {};
  await eventually(async () => {
    last = await readFaults(system);
    return JSON.stringify(last) === JSON.stringify(expected) ? true : undefined;
  }, 'a look at the books').catch(() => {});
  expect(last).toEqual(expected);
};

/**
 * Checks that the ledger's audit finds only the marker, which proves that an audit ran after all
 * earlier writes. Requires a short `WITAN_AUDIT_INTERVAL_MS`.
 */
export const expectSoundBooks = async (system: TestSystem): Promise<void> => {
  const { logLines } = system;
  expect(logLines.filter((line) => line.includes('ledger_invariant_violated'))).toEqual([]);
  const table = 'ledger.account';
  await changeBooks(system, `INSERT INTO ${table} VALUES ('${MARKER}', 1, 0)`);
  await expectFaults(system, { ...SOUND, balance: 1 });
  await changeBooks(system, `DELETE FROM ${table} WHERE workspace_id = '${MARKER}'`);
  await expectFaults(system, SOUND);
  // Removes the marker's log lines, so that later tests do not see them.
  logLines.length = 0;
};
