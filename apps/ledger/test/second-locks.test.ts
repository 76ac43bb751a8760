import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, SCOPE_SETTING } from '@witan/service-kit';
import { Client } from 'pg';
import { certifyOne } from './drafts.ts';
import { as, openLedger, openLedgerPlace } from './open-ledger.ts';
import type { LedgerPlace, TestLedger } from './open-ledger.ts';

const TABLES = ['certificate', 'chain_head', 'reservation'];
const INSERTS: Readonly<Record<string, string>> = {
  certificate: `INSERT INTO certificate SELECT 'pf_forged', $1, 7, '', '', '', key_id FROM signing_key`,
  chain_head: `INSERT INTO chain_head VALUES ($1 || 'x', -1, '', now())`,
  reservation: `INSERT INTO reservation VALUES ('pf_forged', $1, 0, 'held', NULL, now(), NULL)`,
};

describe("the ledger's own role", () => {
  const [mine, theirs] = [newId('ws'), newId('ws')];
  let place: LedgerPlace;
  let ledger: TestLedger;
  let client: Client;
  beforeAll(async () => {
    place = await openLedgerPlace();
    ledger = await openLedger(place, { signingKeyFile: await place.newKeyFile() });
    for (const workspaceId of [mine, theirs]) await certifyOne(ledger.writer, workspaceId);
    client = new Client({ connectionString: place.database.urls.ledger });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await ledger[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  /** Runs in a transaction with this scope, and rolls it back. */
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

    it('finds nothing without a scope, and nothing in an empty one', async () => {
      expect((await scoped(undefined, select)).rows).toEqual([]);
      expect((await scoped('', select)).rows).toEqual([]);
    });

    it("sees the scope's rows and no others", async () => {
      const { rows } = await scoped(mine, select);
      expect(rows).toEqual([{ workspace_id: mine }]);
      const both = await scoped(`${mine},${theirs}`, select);
      expect(both.rows).toHaveLength(2);
    });

    it('may not insert without a scope, or for a workspace outside of it', async () => {
      const insert = INSERTS[table]!;
      await expect(scoped(undefined, insert, [mine])).rejects.toThrow('row-level security');
      await expect(scoped(theirs, insert, [mine])).rejects.toThrow('row-level security');
    });
  });

  it('sees the same rows once a scope was set and is over', async () => {
    await scoped('*', 'SELECT 1');
    expect((await scoped(undefined, 'SELECT workspace_id FROM certificate')).rows).toEqual([]);
  });

  it.each([
    ['change', `UPDATE certificate SET payload = '{}'`],
    ['delete', 'DELETE FROM certificate'],
    ['truncate', 'TRUNCATE certificate'],
  ])('may not %s certificates', async (_name, text) => {
    await expect(scoped('*', text)).rejects.toThrow('append-only');
    await expect(scoped(mine, text)).rejects.toThrow('append-only');
  });

  it("answers another workspace's certificate as unknown", async () => {
    const { certificates } = ledger;
    const list = await certificates.listCertificates({ fromIndex: 0, limit: 10 }, as(theirs));
    const { id: proofId } = JSON.parse(list.certificates[0]!.payload) as { id: string };
    for (const call of [certificates.getCertificate, certificates.verifyCertificate]) {
      await expect(call({ proofId }, as(mine))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    }
  });
});
