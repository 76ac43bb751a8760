import { expect } from '@jest/globals';
import { eventually } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { Client } from 'pg';

/** Number of violations of each invariant. */
export type LedgerViolations = Readonly<Record<string, number>>;

export const NO_VIOLATIONS: LedgerViolations = {
  balance: 0,
  held: 0,
  settled: 0,
  usage: 0,
  certified: 0,
};

/**
 * Id of a nonexistent workspace; its account gets a token without an entry, which violates an
 * invariant.
 */
const MARKER_WORKSPACE_ID = 'ws_marker';

/** Changes the ledger's tables as the server's administrator, who bypasses row-level security. */
export const changeLedger = async (
  { databaseUrl }: Pick<TestSystem, 'databaseUrl'>,
  ...statements: string[]
): Promise<void> => {
  const admin = new Client({ connectionString: databaseUrl });
  await admin.connect();
  try {
    // Triggers forbid changes of the ledger; in the role `replica` PostgreSQL does not run them.
    await admin.query(`SET session_replication_role = 'replica'`);
    for (const statement of statements) await admin.query(statement);
  } finally {
    await admin.end();
  }
};

/** Returns the violations that the running ledger reports in the metric `ledger_book_faults`. */
export const readLedgerViolations = async ({
  adminUrls,
}: Pick<TestSystem, 'adminUrls'>): Promise<LedgerViolations> => {
  const text = await (await fetch(`${adminUrls['ledger']}/metrics`)).text();
  const matches = text.matchAll(/^ledger_book_faults\{invariant="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...matches].map(([, name = '', count]) => [name, Number(count)]));
};

export const expectLedgerViolations = async (
  system: TestSystem,
  expected: LedgerViolations,
): Promise<void> => {
  let last: LedgerViolations = {};
  await eventually(async () => {
    last = await readLedgerViolations(system);
    return JSON.stringify(last) === JSON.stringify(expected) ? true : undefined;
  }, "the expected result of the ledger's audit").catch(() => {});
  expect(last).toEqual(expected);
};

/**
 * Expects the ledger's audit to find no violations. Adds and removes a violation of its own, in the
 * account of `MARKER_WORKSPACE_ID`, and waits until the audit has seen both changes, which proves
 * that an audit ran after all earlier writes. Requires a short `WITAN_AUDIT_INTERVAL_MS`.
 */
export const expectConsistentLedger = async (system: TestSystem): Promise<void> => {
  const { logLines } = system;
  expect(logLines.filter((line) => line.includes('ledger_invariant_violated'))).toEqual([]);
  const table = 'ledger.account';
  await changeLedger(system, `INSERT INTO ${table} VALUES ('${MARKER_WORKSPACE_ID}', 1, 0)`);
  await expectLedgerViolations(system, { ...NO_VIOLATIONS, balance: 1 });
  await changeLedger(system, `DELETE FROM ${table} WHERE workspace_id = '${MARKER_WORKSPACE_ID}'`);
  await expectLedgerViolations(system, NO_VIOLATIONS);
  // Later tests must not mistake the alarms for `MARKER_WORKSPACE_ID` for violations.
  logLines.length = 0;
};
