import { expect } from '@jest/globals';
import { eventually } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { Client } from 'pg';

/** Number of violations by invariant, as the ledger counts them. */
export type LedgerViolations = Readonly<Record<string, number>>;

export const CONSISTENT: LedgerViolations = {
  balance: 0,
  held: 0,
  settled: 0,
  usage: 0,
  certified: 0,
};

/** A nonexistent workspace whose account has a token without an entry. */
const MARKER = 'ws_marker';

/** Changes the ledger as the server's admin, who bypasses row-level security. */
export const changeLedger = async (
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

/** Reads `ledger_book_faults` of a running system. */
export const readLedgerViolations = async ({
  adminUrls,
}: Pick<TestSystem, 'adminUrls'>): Promise<LedgerViolations> => {
  const text = await (await fetch(`${adminUrls['ledger']}/metrics`)).text();
  const found = text.matchAll(/^ledger_book_faults\{invariant="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, name = '', count]) => [name, Number(count)]));
};

export const expectLedgerViolations = async (
  system: TestSystem,
  expected: LedgerViolations,
): Promise<void> => {
  let last: LedgerViolations = {};
  await eventually(async () => {
    last = await readLedgerViolations(system);
    return JSON.stringify(last) === JSON.stringify(expected) ? true : undefined;
  }, 'a look at the books').catch(() => {});
  expect(last).toEqual(expected);
};

/**
 * Expects the ledger's audit to find only the marker, which proves that an audit ran after all
 * earlier writes. Requires a short `WITAN_AUDIT_INTERVAL_MS`.
 */
export const expectConsistentLedger = async (system: TestSystem): Promise<void> => {
  const { logLines } = system;
  expect(logLines.filter((line) => line.includes('ledger_invariant_violated'))).toEqual([]);
  const table = 'ledger.account';
  await changeLedger(system, `INSERT INTO ${table} VALUES ('${MARKER}', 1, 0)`);
  await expectLedgerViolations(system, { ...CONSISTENT, balance: 1 });
  await changeLedger(system, `DELETE FROM ${table} WHERE workspace_id = '${MARKER}'`);
  await expectLedgerViolations(system, CONSISTENT);
  // Removes the marker's log lines, so that later tests do not see them.
  logLines.length = 0;
};
