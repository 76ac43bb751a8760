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
  NO_VIOLATIONS,
} from './ledger-audit.ts';
import type { LedgerViolations } from './ledger-audit.ts';

type Violation = { name: string; break: string; restore: string; violations: LedgerViolations };

const ACCOUNT = 'ledger.account';
const RESERVATION = 'ledger.reservation';
const ENTRY = 'ledger.entry';
const CERTIFICATE = 'ledger.certificate';
const CERTIFICATE_ID = `(SELECT id FROM ${CERTIFICATE} LIMIT 1)`;

/** Changes of the ledger's tables, the statements that undo them, and the expected violations. */
const VIOLATIONS: readonly Violation[] = [
  {
    name: 'a balance that differs from its entries',
    break: `UPDATE ${ACCOUNT} SET posted = posted + 1`,
    restore: `UPDATE ${ACCOUNT} SET posted = posted - 1`,
    violations: { balance: 1 },
  },
  {
    name: 'held tokens without a reservation',
    break: `UPDATE ${ACCOUNT} SET held = held + 1`,
    restore: `UPDATE ${ACCOUNT} SET held = held - 1`,
    violations: { held: 1 },
  },
  {
    name: 'a reservation whose tokens are not held',
    break: `INSERT INTO ${RESERVATION} (id, workspace_id, amount, state, expires_at)
      SELECT 'pf_stray', workspace_id, 5, 'held', now() + interval '1 h' FROM ${ACCOUNT}`,
    restore: `DELETE FROM ${RESERVATION} WHERE id = 'pf_stray'`,
    violations: { held: 1 },
  },
  {
    name: 'a call that was settled without a certificate',
    break: `INSERT INTO ${RESERVATION} (id, workspace_id, amount, state, actual, unpaid, expires_at)
      SELECT 'pf_stray', workspace_id, 0, 'settled', 0, 0, now() FROM ${ACCOUNT}`,
    restore: `DELETE FROM ${RESERVATION} WHERE id = 'pf_stray'`,
    violations: { settled: 1 },
  },
  {
    name: 'usage that was entered but not charged',
    break: `UPDATE ${RESERVATION} SET actual = actual - 1, unpaid = unpaid + 1 WHERE id = ${CERTIFICATE_ID}`,
    restore: `UPDATE ${RESERVATION} SET actual = actual + 1, unpaid = unpaid - 1 WHERE id = ${CERTIFICATE_ID}`,
    violations: { usage: 1 },
  },
  {
    name: 'an entry that was changed',
    break: `UPDATE ${ENTRY} SET amount = amount + 1 WHERE certificate_id = ${CERTIFICATE_ID}`,
    restore: `UPDATE ${ENTRY} SET amount = amount - 1 WHERE certificate_id = ${CERTIFICATE_ID}`,
    violations: { balance: 1, usage: 1 },
  },
  {
    name: 'usage that differs from its certificate',
    break: `UPDATE ${RESERVATION} SET unpaid = unpaid + 1 WHERE id = ${CERTIFICATE_ID}`,
    restore: `UPDATE ${RESERVATION} SET unpaid = unpaid - 1 WHERE id = ${CERTIFICATE_ID}`,
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

  it.each(VIOLATIONS)('finds $name', async ({ break: sql, restore, violations }) => {
    const { system } = fixture;
    await changeLedger(system, sql);
    await expectLedgerViolations(system, { ...NO_VIOLATIONS, ...violations });
    const alarm = system.logLines.find((text) => text.includes('ledger_invariant_violated'));
    expect(JSON.parse(alarm!)).toMatchObject({ service: 'ledger', ...violations });
    await changeLedger(system, restore);
    await expectLedgerViolations(system, NO_VIOLATIONS);
    system.logLines.length = 0;
  });
});
