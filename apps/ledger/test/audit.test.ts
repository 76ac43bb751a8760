import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { appendOf, certifyOne, makeDraft, reserveOf } from './drafts.ts';
import { openLedger, openLedgerPlace } from './open-ledger.ts';
import type { LedgerPlace, TestLedger } from './open-ledger.ts';

const SOUND = { balance: 0, held: 0, settled: 0, usage: 0, certified: 0 };
type Faults = Record<string, number>;

/** What breaks one invariant and no other, and what mends it. `$1` is the workspace. */
const BREAKS: readonly (readonly [string, { breaks: string; mends: string }])[] = [
  [
    'balance',
    {
      breaks: 'UPDATE ledger.account SET posted = posted + 1 WHERE workspace_id = $1',
      mends: 'UPDATE ledger.account SET posted = posted - 1 WHERE workspace_id = $1',
    },
  ],
  [
    'held',
    {
      breaks: 'UPDATE ledger.account SET held = held + 1 WHERE workspace_id = $1',
      mends: 'UPDATE ledger.account SET held = held - 1 WHERE workspace_id = $1',
    },
  ],
  [
    'settled',
    {
      breaks: `UPDATE ledger.reservation SET state = 'released'
               WHERE workspace_id = $1 AND state = 'settled'`,
      mends: `UPDATE ledger.reservation SET state = 'settled'
              WHERE workspace_id = $1 AND state = 'released'`,
    },
  ],
  [
    'usage',
    {
      breaks: `INSERT INTO ledger.entry
                 (id, workspace_id, kind, amount, source, target, certificate_id)
               VALUES ('ent_odd', $1, 'usage', 1, 'licence', 'usage', 'pf_odd')`,
      mends: `DELETE FROM ledger.entry WHERE workspace_id = $1 AND id = 'ent_odd'`,
    },
  ],
  [
    'certified',
    {
      breaks: `UPDATE ledger.certificate
               SET payload = replace(payload, '"totalTokens":4', '"totalTokens":5')
               WHERE workspace_id = $1`,
      mends: `UPDATE ledger.certificate
              SET payload = replace(payload, '"totalTokens":5', '"totalTokens":4')
              WHERE workspace_id = $1`,
    },
  ],
];

describe('the audit of the books', () => {
  const workspaceId = newId('ws');
  let place: LedgerPlace;
  let ledger: TestLedger;
  let admin: Client;
  beforeAll(async () => {
    place = await openLedgerPlace();
    ledger = await openLedger(place, {
      signingKeyFile: await place.newKeyFile(),
      isMetered: true,
      openingCredit: 1_000,
      auditIntervalMs: 100,
    });
    admin = new Client({ connectionString: place.database.adminUrl });
    await admin.connect();
    // Nobody but the server's admin gets past the triggers that keep the books as they are.
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
    await place[Symbol.asyncDispose]();
  });

  const readFaults = async (): Promise<Faults> => {
    const text = await (await fetch(`${ledger.service.adminUrl}/metrics`)).text();
    const found = text.matchAll(/^ledger_book_faults\{invariant="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...found].map(([, name, count]) => [name!, Number(count)]));
  };
  /** Waits until this and nothing else is counted. */
  const expectFaults = async (expected: Faults): Promise<void> => {
    let last: Faults = {};
    await eventually(async () => {
      last = await readFaults();
      return JSON.stringify(last) === JSON.stringify(expected) || undefined;
    }).catch(() => {});
    expect(last).toEqual(expected);
  };

  it.each(BREAKS)('counts the workspace whose %s does not add up', async (name, sql) => {
    await expectFaults(SOUND);
    const { rowCount } = await admin.query(sql.breaks, [workspaceId]);
    expect(rowCount).toBe(1);
    await expectFaults({ ...SOUND, [name]: 1 });
    await admin.query(sql.mends, [workspaceId]);
    await expectFaults(SOUND);
  });

  it('says when it was last looked', async () => {
    await expectFaults(SOUND);
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
    }, 'A look at the books');
    expect(last).toEqual({ ...expected, ...calls });
  });

  it('finds a call whose certificate is gone', async () => {
    await admin.query('UPDATE ledger.certificate SET workspace_id = $2 WHERE workspace_id = $1', [
      workspaceId,
      'ws_elsewhere',
    ]);
    // One workspace lacks it, the other has it for nothing.
    await expectFaults({ ...SOUND, settled: 2, certified: 2 });
    await admin.query('UPDATE ledger.certificate SET workspace_id = $1 WHERE workspace_id = $2', [
      workspaceId,
      'ws_elsewhere',
    ]);
    await expectFaults(SOUND);
  });

  it('finds a reservation that was not settled as it says', async () => {
    const [id, answer] = [newId('pf'), newId('pf')];
    const terms = { amount: 9n, minimum: 1n };
    await ledger.writer.write(reserveOf(workspaceId, makeDraft(id), undefined, terms));
    await ledger.writer.write(appendOf(workspaceId, makeDraft(answer), id));
    await expectFaults(SOUND);
    const point = 'UPDATE ledger.reservation SET settled_as = $2 WHERE id = $1';
    // Nobody's, one that is held, and another workspace's.
    const [held, foreign] = [makeDraft(), makeDraft()];
    await ledger.writer.write(reserveOf(workspaceId, held, undefined, terms));
    await certifyOne(ledger.writer, newId('ws'), foreign);
    for (const wrong of ['pf_nobody', held.proofId, foreign.proofId]) {
      await admin.query(point, [id, wrong]);
      await expectFaults({ ...SOUND, settled: 1 });
    }
    await admin.query(point, [id, answer]);
    await expectFaults(SOUND);
  });

  it('takes calls of the release before, which entered nothing, for what they are', async () => {
    const [older, proofId] = [newId('ws'), newId('pf')];
    await certifyOne(ledger.writer, older, makeDraft(proofId));
    await admin.query('DELETE FROM ledger.entry WHERE certificate_id = $1', [proofId]);
    await admin.query(`DELETE FROM ledger.account WHERE workspace_id = $1`, [older]);
    await admin.query(`DELETE FROM ledger.entry WHERE workspace_id = $1`, [older]);
    await admin.query(
      'UPDATE ledger.reservation SET amount = 0, actual = NULL, unpaid = NULL WHERE id = $1',
      [proofId],
    );
    // A look that came after: one that counts another workspace, and then none.
    await admin.query('UPDATE ledger.account SET held = held + 1 WHERE workspace_id = $1', [
      workspaceId,
    ]);
    await expectFaults({ ...SOUND, held: 1 });
    await admin.query('UPDATE ledger.account SET held = held - 1 WHERE workspace_id = $1', [
      workspaceId,
    ]);
    await expectFaults(SOUND);
  });
});
