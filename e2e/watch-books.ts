import { expect } from '@jest/globals';
import { eventually } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { Client } from 'pg';

/** What the ledger counts as not adding up, by invariant. */
export type Faults = Readonly<Record<string, number>>;

/** Books that add up. */
export const SOUND: Faults = { balance: 0, held: 0, settled: 0, usage: 0, certified: 0 };

/** Of a workspace that does not exist: an account with a token that no entry explains. */
const MARKER = 'ws_marker';

/** Behind the ledger's back, as the server's admin, whom no row security holds. */
export const changeBooks = async (
  { databaseUrl }: Pick<TestSystem, 'databaseUrl'>,
  ...statements: string[]
): Promise<void> => {
  const admin = new Client({ connectionString: databaseUrl });
  await admin.connect();
  try {
    // The book's triggers refuse every change; replicas do not run them.
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

/** Waits until the ledger counts just these faults. */
export const expectFaults = async (system: TestSystem, expected: Faults): Promise<void> => {
  let last: Faults = {};
  await eventually(async () => {
    last = await readFaults(system);
    return JSON.stringify(last) === JSON.stringify(expected) ? true : undefined;
  }, 'a look at the books').catch(() => {});
  expect(last).toEqual(expected);
};

/**
 * Holds the ledger's own watch to it that its books add up, after what happened until now: an
 * account that cannot be shows when it has looked again, and that alone is what it finds.
 * The system needs a short `WITAN_AUDIT_INTERVAL_MS`.
 */
export const expectSoundBooks = async (system: TestSystem): Promise<void> => {
  const { logLines } = system;
  expect(logLines.filter((line) => line.includes('ledger_invariant_violated'))).toEqual([]);
  const table = 'ledger.account';
  await changeBooks(system, `INSERT INTO ${table} VALUES ('${MARKER}', 1, 0)`);
  await expectFaults(system, { ...SOUND, balance: 1 });
  await changeBooks(system, `DELETE FROM ${table} WHERE workspace_id = '${MARKER}'`);
  await expectFaults(system, SOUND);
  // What was said of the marker is not held against the next story.
  logLines.length = 0;
};
