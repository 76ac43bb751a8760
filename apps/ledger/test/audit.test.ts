import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { appendOf, certifyOne, makeDraft, reserveOf } from './drafts.ts';
import { openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';

const NO_VIOLATIONS = { balance: 0, held: 0, settled: 0, usage: 0, certified: 0 };
type Violations = Record<string, number>;

/**
 * Pairs of statements: the first violates exactly one invariant, the second restores it. `$1` is
 * the workspace.
 */
const VIOLATIONS: readonly (readonly [string, { breaks: string; restores: string }])[] = [
  [
    'balance',
    {
      breaks: 'UPDATE ledger.account SET posted = posted + 1 WHERE workspace_id = $1',
      restores: 'UPDATE ledger.account SET posted = posted - 1 WHERE workspace_id = $1',
    },
  ],
  [
    'held',
    {
      breaks: 'UPDATE ledger.account SET held = held + 1 WHERE workspace_id = $1',
      restores: 'UPDATE ledger.account SET held = held - 1 WHERE workspace_id = $1',
    },
  ],
  [
    'settled',
    {
      breaks: `UPDATE ledger.reservation SET state = 'released'
               WHERE workspace_id = $1 AND state = 'settled'`,
      restores: `UPDATE ledger.reservation SET state = 'settled'
              WHERE workspace_id = $1 AND state = 'released'`,
    },
  ],
  [
    'usage',
    {
      breaks: `INSERT INTO ledger.entry
                 (id, workspace_id, kind, amount, source, target, certificate_id)
               VALUES ('ent_odd', $1, 'usage', 1, 'licence', 'usage', 'pf_odd')`,
      restores: `DELETE FROM ledger.entry WHERE workspace_id = $1 AND id = 'ent_odd'`,
    },
  ],
  [
    'certified',
    {
      breaks: `UPDATE ledger.certificate
               SET payload = replace(payload, '"totalTokens":4', '"totalTokens":5')
               WHERE workspace_id = $1`,
      restores: `UPDATE ledger.certificate
              SET payload = replace(payload, '"totalTokens":5', '"totalTokens":4')
              WHERE workspace_id = $1`,
    },
  ],
];

describe('the audit of the ledger', () => {
  const workspaceId = newId('ws');
  let fixture: LedgerFixture;
  let ledger: TestLedger;
  let admin: Client;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    ledger = await openLedger(fixture, {
      signingKeyFile: await fixture.newKeyFile(),
      isMetered: true,
      openingCredit: 1_000,
      auditIntervalMs: 100,
    });
    admin = new Client({ connectionString: fixture.database.adminUrl });
    await admin.connect();
    // Bypasses the triggers that make tables append-only, as only an admin can.
    await admin.query(`SET session_replication_role = 'replica'`);
    const draft = makeDraft();
    await ledger.writer.write(
      reserveOf(workspaceId, draft, undefined, { amount: 10n, minimum: 1n }),
    );
    await ledger.writer.write(appendOf(workspaceId, draft));
    const open = makeDraft();
    await ledger.writer.write(reserveOf(workspaceId, open, undefined, { amount: 9n }));
    await certifyOne(ledger.writer, newId('ws'));
  });
  afterAll(async () => {
    await admin.end();
    await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const readViolations = async (): Promise<Violations> => {
    const text = await (await fetch(`${ledger.service.adminUrl}/metrics`)).text();
    const found = text.matchAll(/^ledger_book_faults\{invariant="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...found].map(([, name, count]) => [name!, Number(count)]));
  };
  const expectViolations = async (expected: Violations): Promise<void> => {
    let last: Violations = {};
    await eventually(async () => {
      last = await readViolations();
      return JSON.stringify(last) === JSON.stringify(expected) || undefined;
    }).catch(() => {});
    expect(last).toEqual(expected);
  };

  it.each(VIOLATIONS)('counts the workspace that violates %s', async (name, sql) => {
    await expectViolations(NO_VIOLATIONS);
    const { rowCount } = await admin.query(sql.breaks, [workspaceId]);
    expect(rowCount).toBe(1);
    await expectViolations({ ...NO_VIOLATIONS, [name]: 1 });
    await admin.query(sql.restores, [workspaceId]);
    await expectViolations(NO_VIOLATIONS);
  });

  it('reports when it last ran', async () => {
    await expectViolations(NO_VIOLATIONS);
    const text = await (await fetch(`${ledger.service.adminUrl}/metrics`)).text();
    const [, seconds] = /^ledger_book_audit_timestamp_seconds (\S+)$/m.exec(text)!;
    expect(Math.abs(Date.now() / 1_000 - Number(seconds))).toBeLessThan(60);
  });

  it('counts chains, certificates and open calls', async () => {
    const expected = { certificates: 2, chain_height_max: 1, chains: 2 };
    const calls = { reservations_held: 1, reservations_overdue: 0 };
    const last = await eventually(async () => {
      const text = await (await fetch(`${ledger.service.adminUrl}/metrics`)).text();
      const found = [...text.matchAll(/^ledger_(certificates|chain\w*|reservations_\w+) (\d+)$/gm)];
      const state = Object.fromEntries(found.map(([, name, count]) => [name!, Number(count)]));
      return state.certificates === 0 ? undefined : state;
    }, 'A reading of the totals');
    expect(last).toEqual({ ...expected, ...calls });
  });

  it('finds a settled call without a certificate', async () => {
    await admin.query('UPDATE ledger.certificate SET workspace_id = $2 WHERE workspace_id = $1', [
      workspaceId,
      'ws_elsewhere',
    ]);
    await expectViolations({ ...NO_VIOLATIONS, settled: 2, certified: 2 });
    await admin.query('UPDATE ledger.certificate SET workspace_id = $1 WHERE workspace_id = $2', [
      workspaceId,
      'ws_elsewhere',
    ]);
    await expectViolations(NO_VIOLATIONS);
  });

  it('finds a reservation whose settled_as names no settled reservation', async () => {
    const [id, answer] = [newId('pf'), newId('pf')];
    const terms = { amount: 9n, minimum: 1n };
    await ledger.writer.write(reserveOf(workspaceId, makeDraft(id), undefined, terms));
    await ledger.writer.write(appendOf(workspaceId, makeDraft(answer), id));
    await expectViolations(NO_VIOLATIONS);
    const point = 'UPDATE ledger.reservation SET settled_as = $2 WHERE id = $1';
    const [heldDraft, foreignDraft] = [makeDraft(), makeDraft()];
    await ledger.writer.write(reserveOf(workspaceId, heldDraft, undefined, terms));
    await certifyOne(ledger.writer, newId('ws'), foreignDraft);
    for (const proofIdOfOther of ['pf_nobody', heldDraft.proofId, foreignDraft.proofId]) {
      await admin.query(point, [id, proofIdOfOther]);
      await expectViolations({ ...NO_VIOLATIONS, settled: 1 });
    }
    await admin.query(point, [id, answer]);
    await expectViolations(NO_VIOLATIONS);
  });

  it('accepts calls of the previous release, which recorded no entries', async () => {
    const [olderWorkspaceId, proofId] = [newId('ws'), newId('pf')];
    await certifyOne(ledger.writer, olderWorkspaceId, makeDraft(proofId));
    await admin.query('DELETE FROM ledger.entry WHERE certificate_id = $1', [proofId]);
    await admin.query(`DELETE FROM ledger.account WHERE workspace_id = $1`, [olderWorkspaceId]);
    await admin.query(`DELETE FROM ledger.entry WHERE workspace_id = $1`, [olderWorkspaceId]);
    await admin.query(
      'UPDATE ledger.reservation SET amount = 0, actual = NULL, unpaid = NULL WHERE id = $1',
      [proofId],
    );
    await admin.query('UPDATE ledger.account SET held = held + 1 WHERE workspace_id = $1', [
      workspaceId,
    ]);
    await expectViolations({ ...NO_VIOLATIONS, held: 1 });
    await admin.query('UPDATE ledger.account SET held = held - 1 WHERE workspace_id = $1', [
      workspaceId,
    ]);
    await expectViolations(NO_VIOLATIONS);
  });
});
