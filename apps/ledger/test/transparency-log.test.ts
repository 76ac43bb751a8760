import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parsePolicy, ProofError, verifyBundle } from '@witan/proof';
import { epochEntry } from '@witan/proof/tlog/bundle';
import type { BundleKey } from '@witan/proof/tlog/bundle';
import { mapKeyOf, mapValue, rootOfMapEntry } from '@witan/proof/tlog/map';
import { parseNote } from '@witan/proof/tlog/note';
import { tileHashes } from '@witan/proof/tlog/tile';
import { verifyCheckpointText } from '@witan/proof/tlog/verify-bundle';
import { everyWorkspace, newId, workspaceScope } from '@witan/service-kit';
import { auditTrees } from '../src/log/audit-trees.ts';
import { createBundleReader, createFindTrees } from '../src/log/store/proof-store.ts';
import { ensureIdentity, READ_ENTRIES } from '../src/log/store/epoch-store.ts';
import { certifyOne } from './drafts.ts';
import { insertLeaves, openTestLog, ORIGIN } from './open-log.ts';
import type { TestLog } from './open-log.ts';
import { ISSUER, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';

const idOf = ({ payload }: { payload: string }): string =>
  (JSON.parse(payload) as { id: string }).id;

describe('the transparency log', () => {
  let fixture: LedgerFixture;
  let ledger: TestLedger;
  let opened: TestLog;
  let logKeyFile: string;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    ledger = await openLedger(fixture, { signingKeyFile: await fixture.newKeyFile() });
    logKeyFile = await fixture.newKeyFile();
    opened = await openTestLog(fixture, { keyFile: logKeyFile });
  });
  afterAll(async () => {
    await opened[Symbol.asyncDispose]();
    await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const certify = async (workspaceId: string, count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) ids.push(idOf(await certifyOne(ledger.writer, workspaceId)));
    return ids;
  };
  const bundleOf = async (workspaceId: string, id: string): Promise<string> => {
    const found = await opened.log.buildBundle(workspaceId, id);
    if (found.state !== 'ready') throw new Error(`The bundle is ${found.state}.`);
    return found.bundle;
  };
  /** Changes the hash of a certificate; the second time restores it. */
  const reverseHash = async (workspaceId: string, index: number): Promise<void> => {
    await opened.admin.query('ALTER TABLE ledger.certificate DISABLE TRIGGER USER');
    await opened.admin.query(
      `UPDATE ledger.certificate SET payload_hash = reverse(payload_hash)
       WHERE workspace_id = $1 AND chain_index = $2`,
      [workspaceId, index],
    );
    await opened.admin.query('ALTER TABLE ledger.certificate ENABLE TRIGGER USER');
  };
  const expectSound = async (): Promise<void> => {
    const { violations } = await opened.recompute();
    expect(violations).toEqual([]);
  };
  const policy = () => parsePolicy(opened.log.policy.text);

  it('makes a bundle for every certificate of every workspace', async () => {
    const workspaces = [newId('ws'), newId('ws')];
    const ids = new Map<string, string[]>();
    for (const count of [1, 2, 3]) {
      for (const workspaceId of workspaces) {
        const made = await certify(workspaceId, count);
        ids.set(workspaceId, [...(ids.get(workspaceId) ?? []), ...made]);
      }
      expect(await opened.cycle()).toEqual({ epochs: 1, changed: [] });
    }
    for (const workspaceId of workspaces) {
      for (const [chainIndex, id] of ids.get(workspaceId)!.entries()) {
        const verified = verifyBundle(await bundleOf(workspaceId, id), policy());
        expect(verified).toMatchObject({ workspaceId, log: ORIGIN, witnessedAt: undefined });
        expect(verified.payload).toMatchObject({ id, chainIndex });
        // The first head that has it: after 1, 3 and 6 certificates.
        expect(verified.treeSize).toBe([1, 3, 3, 6, 6, 6][chainIndex]);
      }
    }
    await expectSound();
  });

  it('has no bundle before the epoch, and none of another workspace', async () => {
    const workspaceId = newId('ws');
    const [id] = await certify(workspaceId, 1);
    expect(await opened.log.buildBundle(workspaceId, id!)).toEqual({ state: 'pending' });
    await opened.cycle();
    const bundle = await bundleOf(workspaceId, id!);
    expect(await opened.log.buildBundle(newId('ws'), id!)).toEqual({ state: 'unknown' });
    await certify(workspaceId, 2);
    await opened.cycle();
    expect(await bundleOf(workspaceId, id!)).toBe(bundle);
  });

  it('writes no epoch if there is nothing new, but for cover', async () => {
    const before = (await opened.log.findPublished())?.size;
    expect(await opened.cycle()).toEqual({ epochs: 0, changed: [] });
    expect((await opened.log.findPublished())?.size).toBe(before);
    const keyFile = await fixture.newKeyFile();
    const covered = await openTestLog(fixture, { keyFile, isCover: true, intervalMs: 1 });
    await covered.cycle();
    expect((await opened.log.findPublished())?.size).toBe(before! + 1);
    await covered[Symbol.asyncDispose]();
    await expectSound();
  });

  it('writes one cover in a period, however many replicas there are and calls arrive', async () => {
    const before = (await opened.log.findPublished())!.size;
    const keyFile = await fixture.newKeyFile();
    const period = { isCover: true, intervalMs: 600_000_000 };
    const covered = await openTestLog(fixture, { keyFile, ...period });
    await certify(newId('ws'), 1);
    for (const replica of [covered.log, covered.replica(), covered.replica()]) {
      expect(await covered.cycle(replica)).toEqual({ epochs: 0, changed: [] });
    }
    expect((await opened.log.findPublished())?.size).toBe(before);
    await covered[Symbol.asyncDispose]();
  });

  it('takes up long chains, in epochs of limited size, with tiles of every level', async () => {
    const [long, short] = [newId('ws'), newId('ws')];
    await insertLeaves(opened.admin, long, { from: 0, count: 131_500 });
    await insertLeaves(opened.admin, short, { from: 0, count: 255 });
    expect(await opened.cycle()).toEqual({ epochs: 3, changed: [] });
    await insertLeaves(opened.admin, short, { from: 255, count: 1 });
    await insertLeaves(opened.admin, long, { from: 131_500, count: 300 });
    await opened.cycle();
    const { leaves, violations } = await opened.recompute();
    expect(violations).toEqual([]);
    expect(leaves).toBeGreaterThan(131_800);
    const { rows } = await opened.admin.query<{ level: number; count: string }>(
      `SELECT level, count(*) FROM ledger.tree_tile WHERE workspace_id = $1 GROUP BY 1 ORDER BY 1`,
      [long],
    );
    expect(rows.map(({ level, count }) => [level, Number(count)])).toEqual([
      [0, 514],
      [1, 3],
      [2, 1],
    ]);
  }, 120_000);

  it('finds certificates by their index, in a long chain, too', async () => {
    await opened.admin.query('SET search_path = ledger');
    await opened.admin.query('SET plan_cache_mode = force_generic_plan');
    await opened.admin.query(`PREPARE read_entries AS ${READ_ENTRIES}`);
    const { rows } = await opened.admin.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN EXECUTE read_entries(ARRAY['a', 'b'], ARRAY[0, 0], ARRAY[5, 5])`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('certificate_workspace_id_chain_index_key');
    expect(plan).not.toContain('Seq Scan');
  });

  it('is written once by many writers, with the lock and without', async () => {
    for (const isLocked of [true, false]) {
      for (let round = 0; round < 4; round += 1) {
        for (let i = 0; i < 3; i += 1) await certify(newId('ws'), 1);
        const replicas = Array.from({ length: 6 }, () => opened.replica({ isLocked }));
        await Promise.all(replicas.map((replica) => opened.cycle(replica)));
        await opened.cycle();
      }
    }
    await expectSound();
  }, 120_000);

  it('leaves out a workspace whose certificates were changed, and no other', async () => {
    const [changed, other] = [newId('ws'), newId('ws')];
    await insertLeaves(opened.admin, changed, { from: 0, count: 100 });
    await opened.cycle();
    await reverseHash(changed, 7);
    await insertLeaves(opened.admin, changed, { from: 100, count: 200 });
    const [id] = await certify(other, 1);
    expect(await opened.cycle()).toEqual({ epochs: 1, changed: [changed] });
    expect(verifyBundle(await bundleOf(other, id!), policy()).workspaceId).toBe(other);
    await reverseHash(changed, 7);
    expect(await opened.cycle()).toEqual({ epochs: 1, changed: [] });
    await expectSound();
  });

  it('is audited: changed certificates are found in full tiles and in the last one', async () => {
    const workspaceId = newId('ws');
    await insertLeaves(opened.admin, workspaceId, { from: 0, count: 300 });
    await opened.cycle();
    const { treeTiles } = createBundleReader(opened.database, { find: async () => undefined });
    const audit = (random: number): Promise<string[]> =>
      auditTrees({
        findTrees: createFindTrees(opened.database),
        treeTiles,
        newSecret: () => mapKeyOf(ISSUER, workspaceId),
        random: () => random,
      });
    for (const [index, tile, other] of [
      [7, 0, 0.9],
      [280, 0.9, 0],
    ] as const) {
      await reverseHash(workspaceId, index);
      expect([await audit(tile), await audit(other)]).toEqual([[workspaceId], []]);
      await reverseHash(workspaceId, index);
      expect(await audit(tile)).toEqual([]);
    }
    expect(await opened.log.audit()).toEqual([]);
  });

  it('never serves a bundle that does not verify', async () => {
    const workspaceId = newId('ws');
    const [id] = await certify(workspaceId, 1);
    await opened.cycle();
    const change = 'UPDATE ledger.tree_head SET path = $2 WHERE workspace_id = $1 RETURNING path';
    await opened.admin.query('ALTER TABLE ledger.tree_head DISABLE TRIGGER USER');
    const { rows } = await opened.admin.query<{ path: Buffer }>(
      'SELECT path FROM ledger.tree_head WHERE workspace_id = $1',
      [workspaceId],
    );
    await opened.admin.query(change, [workspaceId, rows[0]!.path.toReversed()]);
    await expect(opened.log.buildBundle(workspaceId, id!)).rejects.toThrow('would be invalid');
    await opened.admin.query(change, [workspaceId, rows[0]!.path]);
    await opened.admin.query('ALTER TABLE ledger.tree_head ENABLE TRIGGER USER');
    await bundleOf(workspaceId, id!);
  });

  it('is not published if it does not extend what was published', async () => {
    await certify(newId('ws'), 1);
    const { rows } = await opened.admin.query<{ note: string }>(
      'SELECT note FROM ledger.published',
    );
    const { note } = rows[0]!;
    const set = 'UPDATE ledger.published SET note = $1';
    const [origin, size] = note.split('\n');
    const forged = `${origin}\n${size}\n${Buffer.alloc(32).toString('base64')}\n\n`;
    await opened.admin.query(set, [forged + note.slice(note.indexOf('—'))]);
    await expect(opened.cycle()).rejects.toThrow('does not extend');
    await opened.admin.query(set, [note]);
    await opened.cycle();
    await expectSound();
  });

  it('is not published if its tiles do not give its root', async () => {
    await certify(newId('ws'), 1);
    const entry = await opened.admin.query<{ n: string; entry: string }>(
      'SELECT n, entry FROM ledger.epoch ORDER BY n LIMIT 1',
    );
    const { n, entry: text } = entry.rows[0]!;
    await opened.admin.query('ALTER TABLE ledger.epoch DISABLE TRIGGER USER');
    const set = (value: string) =>
      opened.admin.query('UPDATE ledger.epoch SET entry = $2 WHERE n = $1', [n, value]);
    await set(text.replace('witan-epoch/v1', 'witan-epoch/v2'));
    await expect(opened.cycle()).rejects.toThrow('do not give its root');
    await set(text);
    await opened.admin.query('ALTER TABLE ledger.epoch ENABLE TRIGGER USER');
    await opened.cycle();
    await expectSound();
  });

  it('lets a workspace open each epoch, also those in which it did not change', async () => {
    const workspaceId = newId('ws');
    const first = (await opened.log.findPublished())!.size;
    await certify(workspaceId, 2);
    await opened.cycle();
    await certify(newId('ws'), 1);
    await opened.cycle();
    const { signal } = new AbortController();
    const range = { from: first - 1, last: first + 2, signal, clock: Date.now };
    const [before, own, unchanged] = await opened.log.listEpochs(workspaceId, range);
    expect(before!.head).toBeUndefined();
    const mapKey = mapKeyOf(ISSUER, workspaceId);
    for (const epoch of [own!, unchanged!]) {
      const { note, salt, path } = epoch.head!;
      const text = parseNote(note).text;
      const entry = { key: mapKey, value: mapValue(salt, text) };
      const keys = JSON.parse(epoch.keys) as BundleKey[];
      expect(epochEntry(rootOfMapEntry(entry, tileHashes(path)), keys)).toBe(epoch.entry);
      expect(text).toContain('\n2\n');
    }
    expect(own!.head!.salt).not.toEqual(unchanged!.head!.salt);
  });

  it('signs with every key of its file, so that the key can be changed', async () => {
    const both = join(await mkdtemp(join(tmpdir(), 'witan-log-keys-')), 'both.pem');
    const files = [await fixture.newKeyFile(), logKeyFile];
    await writeFile(both, (await Promise.all(files.map((file) => readFile(file)))).join(''));
    const changing = await openTestLog(fixture, { keyFile: both });
    await certify(newId('ws'), 1);
    await changing.cycle();
    const { size, note } = (await changing.log.findPublished())!;
    expect(changing.log.vkeys).toHaveLength(2);
    for (const vkey of changing.log.vkeys) {
      const one = parsePolicy(`log ${vkey}\nquorum none\n`);
      expect(verifyCheckpointText(note, one)).toMatchObject({ origin: ORIGIN, size });
    }
    await changing[Symbol.asyncDispose]();
    await rm(dirname(both), { recursive: true });
  });

  it('makes bundles of old epochs after its key was replaced, without a policy file', async () => {
    const workspaceId = newId('ws');
    const [id] = await certify(workspaceId, 1);
    await opened.cycle();
    const { note } = (await opened.log.findPublished())!;
    const replaced = await openTestLog(fixture, { keyFile: await fixture.newKeyFile() });
    const [vkey] = replaced.log.vkeys;
    const own = parsePolicy(`log ${vkey}\nquorum none\n`);
    expect(() => verifyCheckpointText(note, own)).toThrow(ProofError);
    const found = await replaced.log.buildBundle(workspaceId, id!);
    const bundle = found.state === 'ready' ? found.bundle : '';
    const verified = verifyBundle(bundle, parsePolicy(replaced.log.policy.text));
    expect(verified.payload).toMatchObject({ id });
    await replaced[Symbol.asyncDispose]();
  });

  it('keeps its origin', async () => {
    const other = { origin: 'log.witan.test/other', secret: Buffer.alloc(32) };
    await expect(ensureIdentity(opened.database, other)).rejects.toThrow('an origin never changes');
  });

  it.each([
    'UPDATE epoch SET entry = entry',
    'DELETE FROM epoch',
    'TRUNCATE epoch',
    'UPDATE checkpoint SET note = note',
    'DELETE FROM tree_head',
    'UPDATE tree_head SET path = path',
    'DELETE FROM epoch_keys',
    'DELETE FROM log_key',
    'UPDATE log_identity SET origin = origin',
    'TRUNCATE log_tile',
  ])('is append-only: %s', async (text) => {
    const run = opened.database.scopedClient(everyWorkspace, (client) => client.query(text));
    await expect(run).rejects.toThrow('append-only');
  });

  it.each([
    'DELETE FROM tree_tile',
    'UPDATE tree_tile SET hashes = substring(hashes FROM 1 FOR 32) WHERE level > 0',
    'UPDATE tree_tile SET hashes = substring(hashes FROM 33) || substring(hashes FROM 1 FOR 32)',
    'UPDATE tree_tile SET n = n + 1000',
  ])('has tiles that only grow: %s', async (text) => {
    const run = opened.database.scopedClient(everyWorkspace, (client) => client.query(text));
    await expect(run).rejects.toThrow('only grows');
  });

  it.each(['tree', 'tree_head', 'tree_tile'])(
    'shows rows of %s to their workspace only',
    async (table) => {
      const { rows } = await opened.admin.query<{ id: string }>(
        `SELECT workspace_id AS id FROM ledger.${table} LIMIT 1`,
      );
      const count = async (workspaceId: string): Promise<number> =>
        opened.database.scopedClient(workspaceScope(workspaceId), async (client) => {
          const found = await client.query<{ count: string }>(
            `SELECT count(*) FROM ${table} WHERE workspace_id = $1`,
            [rows[0]!.id],
          );
          return Number(found.rows[0]!.count);
        });
      expect(await count(rows[0]!.id)).toBeGreaterThan(0);
      expect(await count(newId('ws'))).toBe(0);
    },
  );
});
