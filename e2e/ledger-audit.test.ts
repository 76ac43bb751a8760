import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PING } from './http-client.ts';
import { METERED, openAccounts } from './open-accounts.ts';
import type { Member } from './open-accounts.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';
import {
  changeLedger,
  expectLedgerViolations,
  expectConsistentLedger,
  CONSISTENT,
} from './ledger-audit.ts';
import type { LedgerViolations } from './ledger-audit.ts';

type Violation = { what: string; break: string; restore: string; violations: LedgerViolations };

const A = 'ledger.account';
const R = 'ledger.reservation';
const E = 'ledger.entry';
const C = 'ledger.certificate';
const CALL = `(SELECT id FROM ${C} LIMIT 1)`;

/** Changes of the ledger's tables, each of which violates one invariant. */
const VIOLATIONS: readonly Violation[] = [
  {
    what: 'a balance that no entry explains',
    break: `UPDATE ${A} SET posted = posted + 1`,
    restore: `UPDATE ${A} SET posted = posted - 1`,
    violations: { balance: 1 },
  },
  {
    what: 'tokens that are held for no call',
    break: `UPDATE ${A} SET held = held + 1`,
    restore: `UPDATE ${A} SET held = held - 1`,
    violations: { held: 1 },
  },
  {
    what: 'a call that holds nothing of its account',
    break: `INSERT INTO ${R} (id, workspace_id, amount, state, expires_at)
      SELECT 'pf_stray', workspace_id, 5, 'held', now() + interval '1 h' FROM ${A}`,
    restore: `DELETE FROM ${R} WHERE id = 'pf_stray'`,
    violations: { held: 1 },
  },
  {
    what: 'a call that was settled without a certificate',
    break: `INSERT INTO ${R} (id, workspace_id, amount, state, actual, unpaid, expires_at)
      SELECT 'pf_stray', workspace_id, 0, 'settled', 0, 0, now() FROM ${A}`,
    restore: `DELETE FROM ${R} WHERE id = 'pf_stray'`,
    violations: { settled: 1 },
  },
  {
    what: 'usage that was entered and not charged',
    break: `UPDATE ${R} SET actual = actual - 1, unpaid = unpaid + 1 WHERE id = ${CALL}`,
    restore: `UPDATE ${R} SET actual = actual + 1, unpaid = unpaid - 1 WHERE id = ${CALL}`,
    violations: { usage: 1 },
  },
  {
    what: 'an entry that was changed',
    break: `UPDATE ${E} SET amount = amount + 1 WHERE certificate_id = ${CALL}`,
    restore: `UPDATE ${E} SET amount = amount - 1 WHERE certificate_id = ${CALL}`,
    violations: { balance: 1, usage: 1 },
  },
  {
    what: 'usage beyond what its certificate says',
    break: `UPDATE ${R} SET unpaid = unpaid + 1 WHERE id = ${CALL}`,
    restore: `UPDATE ${R} SET unpaid = unpaid - 1 WHERE id = ${CALL}`,
    violations: { certified: 1 },
  },
];

describe.each(TRANSPORTS)('the ledger audit, services over %s', (transport) => {
  let fixture: Fixture;
  let member: Member;

  beforeAll(async () => {
    fixture = await openFixture({ transport, env: METERED });
    const accounts = await openAccounts(fixture);
    member = await accounts.createMember({ credit: 1_000 });
    await accounts[Symbol.asyncDispose]();
    expect((await member.client.complete(PING)).status).toBe(200);
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it('finds nothing in a consistent ledger', async () => {
    await expectConsistentLedger(fixture.system);
  });

  it.each(VIOLATIONS)('finds $what', async ({ break: sql, restore, violations }) => {
    const { system } = fixture;
    await changeLedger(system, sql);
    await expectLedgerViolations(system, { ...CONSISTENT, ...violations });
    const alarm = system.logLines.find((text) => text.includes('ledger_invariant_violated'));
    expect(JSON.parse(alarm!)).toMatchObject({ service: 'ledger', ...violations });
    await changeLedger(system, restore);
    await expectLedgerViolations(system, CONSISTENT);
    system.logLines.length = 0;
  });
});
