import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, SCOPE_SETTING } from '@witan/service-kit';
import { Client } from 'pg';
import { certifyOne } from './drafts.ts';
import { optionsFor, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';

const TABLES = ['account', 'certificate', 'chain_head', 'entry', 'reservation'];
const INSERTS: Readonly<Record<string, string>> = {
  account: `INSERT INTO account VALUES ($1 || 'x', 7, 0)`,
  entry: `INSERT INTO entry (id, workspace_id, kind, amount, source, target)
    VALUES ('ent_forged', $1, 'credit', 7, 'operator', 'account')`,
  certificate: `INSERT INTO certificate SELECT 'pf_forged', $1, 7, '', '', '', key_id FROM signing_key`,
  chain_head: `INSERT INTO chain_head VALUES ($1 || 'x', -1, '', now())`,
  reservation: `INSERT INTO reservation VALUES ('pf_forged', $1, 0, 'held', NULL, now(), NULL)`,
};

describe("the ledger's own role", () => {
  const [ownWorkspaceId, otherWorkspaceId] = [newId('ws'), newId('ws')];
  let fixture: LedgerFixture;
  let ledger: TestLedger;
  let client: Client;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    ledger = await openLedger(fixture, {
      signingKeyFile: await fixture.newKeyFile(),
      isMetered: true,
      openingCredit: 1_000,
    });
    for (const workspaceId of [ownWorkspaceId, otherWorkspaceId])
      await certifyOne(ledger.writer, workspaceId);
    client = new Client({ connectionString: fixture.database.urls.ledger });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const scoped = async (scope: string | undefined, text: string, values: string[] = []) => {
    await client.query('BEGIN');
    try {
      if (scope !== undefined) {
        await client.query('SELECT set_config($1, $2, true)', [SCOPE_SETTING, scope]);
      }
      return await client.query<{ workspace_id: string }>(text, values);
    } finally {
      await client.query('ROLLBACK');
    }
  };

  describe.each(TABLES)('in %s', (table) => {
    const select = `SELECT workspace_id FROM ${table}`;

    it('finds nothing without a scope or with an empty one', async () => {
      expect((await scoped(undefined, select)).rows).toEqual([]);
      expect((await scoped('', select)).rows).toEqual([]);
    });

    it("sees the scope's rows and no others", async () => {
      const { rows } = await scoped(ownWorkspaceId, select);
      expect(new Set(rows.map((row) => row.workspace_id))).toEqual(new Set([ownWorkspaceId]));
      const both = await scoped(`${ownWorkspaceId},${otherWorkspaceId}`, select);
      expect(both.rows).toHaveLength(2 * rows.length);
    });

    it('reads the scope once in a statement, not once for each row', async () => {
      const { rows } = await scoped(ownWorkspaceId, `EXPLAIN (FORMAT JSON) ${select}`);
      const [{ 'QUERY PLAN': plans }] = rows as never as [{ 'QUERY PLAN': [{ Plan: object }] }];
      expect(plans[0].Plan).toMatchObject({ Filter: expect.stringContaining('workspace_id') });
      expect(plans[0].Plan).not.toMatchObject({
        Filter: expect.stringContaining('current_setting'),
      });
    });

    it('may not insert without a scope, or for a workspace outside of it', async () => {
      const insert = INSERTS[table]!;
      await expect(scoped(undefined, insert, [ownWorkspaceId])).rejects.toThrow(
        'row-level security',
      );
      await expect(scoped(otherWorkspaceId, insert, [ownWorkspaceId])).rejects.toThrow(
        'row-level security',
      );
    });
  });

  it('sees no rows after a scope has ended', async () => {
    await scoped('*', 'SELECT 1');
    expect((await scoped(undefined, 'SELECT workspace_id FROM certificate')).rows).toEqual([]);
  });

  it.each([
    ['change certificates', `UPDATE certificate SET payload = '{}'`],
    ['delete certificates', 'DELETE FROM certificate'],
    ['truncate certificates', 'TRUNCATE certificate'],
    ['change entries', 'UPDATE entry SET amount = 1'],
    ['delete entries', 'DELETE FROM entry'],
    ['truncate entries', 'TRUNCATE entry'],
    [
      'change entries by inserting them again',
      `INSERT INTO entry (id, workspace_id, kind, amount, source, target)
       SELECT id, workspace_id, kind, amount, source, target FROM entry WHERE kind = 'credit'
       ON CONFLICT (id) WHERE kind = 'credit' DO UPDATE SET amount = 1`,
    ],
  ])('may not %s', async (_name, text) => {
    await expect(scoped('*', text)).rejects.toThrow('append-only');
    await expect(scoped(ownWorkspaceId, text)).rejects.toThrow('append-only');
  });

  it.each([
    ['without a scope', undefined],
    ['of another workspace', otherWorkspaceId],
  ])('cannot change an account %s', async (_name, scope) => {
    const text = `UPDATE account SET posted = posted + 1 WHERE workspace_id = '${ownWorkspaceId}'`;
    expect((await scoped(scope, text)).rowCount).toBe(0);
    const deleteSql = `DELETE FROM account WHERE workspace_id = '${ownWorkspaceId}'`;
    expect((await scoped(scope, deleteSql)).rowCount).toBe(0);
  });

  it.each([
    ['hold more than its balance', 'UPDATE account SET held = posted + 1'],
    ['hold a negative amount', 'UPDATE account SET held = -1'],
    ['have a negative balance', 'UPDATE account SET posted = -1'],
    ['have a balance above the safe integers', 'UPDATE account SET posted = 9007199254740992'],
  ])('may not let an account %s', async (_name, text) => {
    await expect(scoped(ownWorkspaceId, text)).rejects.toThrow('check constraint');
  });

  it.each([
    ['of zero', ['credit', 0, 'operator', 'account', null]],
    ['of a negative amount', ['credit', -5, 'operator', 'account', null]],
    ['between accounts that its kind does not allow', ['credit', 5, 'account', 'operator', null]],
    ['of usage without its certificate', ['usage', 5, 'account', 'usage', null]],
    ['of a credit with a certificate', ['credit', 5, 'operator', 'account', 'pf_a']],
    ['of an overrun that the licence pays', ['overrun', 5, 'licence', 'usage', 'pf_a']],
  ])('may not insert an entry %s', async (_name, [kind, amount, ...parties]) => {
    const text = `INSERT INTO entry (workspace_id, id, kind, amount, source, target, certificate_id)
      VALUES ($1, 'ent_odd', $2, $3, $4, $5, $6)`;
    const values = [ownWorkspaceId, kind, amount, ...parties] as string[];
    await expect(scoped(ownWorkspaceId, text, values)).rejects.toThrow('check constraint');
  });

  it("reports another workspace's certificate as not found", async () => {
    const { certificates } = ledger;
    const list = await certificates.listCertificates(
      { fromIndex: 0, limit: 10 },
      optionsFor(otherWorkspaceId),
    );
    const { id: proofId } = JSON.parse(list.certificates[0]!.payload) as { id: string };
    for (const call of [certificates.getCertificate, certificates.verifyCertificate]) {
      await expect(call({ proofId }, optionsFor(ownWorkspaceId))).rejects.toMatchObject({
        reason: 'NOT_FOUND',
      });
    }
  });
});
