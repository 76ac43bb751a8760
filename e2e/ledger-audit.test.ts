import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PING } from './http-client.ts';
import { METERED, openAccounts } from './open-accounts.ts';
import type { Member } from './open-accounts.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import {
  changeLedger,
  expectLedgerFaults,
  expectConsistentLedger,
  CONSISTENT,
} from './ledger-audit.ts';
import type { LedgerFaults } from './ledger-audit.ts';

type Violation = { what: string; break: string; restore: string; faults: LedgerFaults };

const A = 'ledger.account';
const R = 'ledger.reservation';
const E = 'ledger.entry';
const C = 'ledger.certificate';
const CALL = `(SELECT id FROM ${C} LIMIT 1)`;

/** Each breaks one invariant of the ledger. */
const VIOLATIONS: readonly Violation[] = [
  {
    what: 'a balance that no entry explains',
    break: `UPDATE ${A} SET posted = posted + 1`,
    restore: `UPDATE ${A} SET posted = posted - 1`,
    faults: { balance: 1 },
  },
  {
    what: 'tokens that are held for no call',
    break: `UPDATE ${A} SET held = held + 1`,
    restore: `UPDATE ${A} SET held = held - 1`,
    faults: { held: 1 },
  },
  {
    what: 'a call that holds nothing of its account',
    break: `INSERT INTO ${R} (id, workspace_id, amount, state, expires_at)
      SELECT 'pf_stray', workspace_id, 5, 'held', now() + interval '1 h' FROM ${A}`,
    restore: `DELETE FROM ${R} WHERE id = 'pf_stray'`,
    faults: { held: 1 },
  },
  {
    what: 'a call that was settled without a certificate',
    break: `INSERT INTO ${R} (id, workspace_id, amount, state, actual, unpaid, expires_at)
      SELECT 'pf_stray', workspace_id, 0, 'settled', 0, 0, now() FROM ${A}`,
    restore: `DELETE FROM ${R} WHERE id = 'pf_stray'`,
    faults: { settled: 1 },
  },
  {
    what: 'usage that was entered and not charged',
    break: `UPDATE ${R} SET actual = actual - 1, unpaid = unpaid + 1 WHERE id = ${CALL}`,
    restore: `UPDATE ${R} SET actual = actual + 1, unpaid = unpaid - 1 WHERE id = ${CALL}`,
    faults: { usage: 1 },
  },
  {
    what: 'an entry that was changed',
    break: `UPDATE ${E} SET amount = amount + 1 WHERE certificate_id = ${CALL}`,
    restore: `UPDATE ${E} SET amount = amount - 1 WHERE certificate_id = ${CALL}`,
    faults: { balance: 1, usage: 1 },
  },
  {
    what: 'usage beyond what its certificate says',
    break: `UPDATE ${R} SET unpaid = unpaid + 1 WHERE id = ${CALL}`,
    restore: `UPDATE ${R} SET unpaid = unpaid - 1 WHERE id = ${CALL}`,
    faults: { certified: 1 },
  },
];

describe.each(TRANSPORTS)('the watch over the books, services over %s', (transport) => {
  let line: Fixture;
  let member: Member;

  beforeAll(async () => {
    line = await openFixture({ transport, env: METERED });
    const accounts = await openAccounts(line);
    member = await accounts.join({ credit: 1_000 });
    await accounts[Symbol.asyncDispose]();
    expect((await member.client.complete(PING)).status).toBe(200);
  });
  afterAll(async () => {
    await line[Symbol.asyncDispose]();
  });

  it('finds nothing in books that add up', async () => {
    await expectConsistentLedger(line.system);
  });

  it.each(VIOLATIONS)('finds $what', async ({ break: sql, restore, faults }) => {
    const { system } = line;
    await changeLedger(system, sql);
    await expectLedgerFaults(system, { ...CONSISTENT, ...faults });
    const alarm = system.logLines.find((text) => text.includes('ledger_invariant_violated'));
    expect(JSON.parse(alarm!)).toMatchObject({ service: 'ledger', ...faults });
    await changeLedger(system, restore);
    await expectLedgerFaults(system, CONSISTENT);
    system.logLines.length = 0;
  });
});
