import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, newId, openDatabase } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { Client } from 'pg';
import { scanCalls } from '../src/call/scan-calls.ts';
import { createCallStore } from '../src/call/store/call-store.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { rollUpUsage } from '../src/usage/roll-up-usage.ts';
import { createUsageReader, createUsageRollUp } from '../src/usage/store/usage-store.ts';
import type { Dimension } from '../src/usage/usage.ts';
import { certifyOne, makeDraft } from './drafts.ts';
import { openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';

const HASH = 'ab'.repeat(32);
const NEVER = new AbortController().signal;
const ALL: Dimension[] = ['day', 'key', 'agent', 'model', 'provider'];

const byModel = ([a]: unknown[], [b]: unknown[]): number => (String(a) < String(b) ? -1 : 1);

describe('usage', () => {
  let fixture: LedgerFixture;
  let ledger: TestLedger;
  let database: Database;
  let admin: Client;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    ledger = await openLedger(fixture, { signingKeyFile: await fixture.newKeyFile() });
    database = await openDatabase({
      url: fixture.database.urls.ledger!,
      schema: 'ledger',
      entities: [],
      migrations: MIGRATIONS,
      log: createLog({ service: 'test', level: 'silent' }),
    });
    admin = new Client({ connectionString: fixture.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await database[Symbol.asyncDispose]();
    await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const draft = (model: string, more: object = {}) =>
    makeDraft(undefined, {
      egress: { provider: 'openai', model, sha256: HASH, masked: 0, categories: [] },
      apiKeyId: 'key_1',
      durationMs: 12,
      answer: {
        sha256: HASH,
        finishReason: 'stop',
        usage: { promptTokens: 7, completionTokens: 2, totalTokens: 9, cachedTokens: 5 },
      },
      ...more,
    } as object);
  const append = async (workspaceId: string, models: readonly string[]): Promise<void> => {
    for (const model of models) await certifyOne(ledger.writer, workspaceId, draft(model));
  };
  const read = async (workspaceId: string, groupBy = ALL) => {
    const rows = await createUsageReader(database).read(workspaceId, { from: '', to: '', groupBy });
    const found = rows.map(({ model, key, calls, cachedTokens, totalTokens }) => [
      ...[model, key],
      ...[calls, cachedTokens, totalTokens].map(Number),
    ]);
    return found.toSorted(byModel);
  };
  const onFailure = (error: unknown): void => {
    throw error;
  };
  const options = { stopping: NEVER, onFailure };
  const rollUp = () => rollUpUsage(createUsageRollUp(database), options);
  const watermarkOf = async (workspaceId: string): Promise<number> => {
    const { rows } = await admin.query<{ index: string }>(
      'SELECT chain_index AS index FROM ledger.usage_watermark WHERE workspace_id = $1',
      [workspaceId],
    );
    return Number(rows[0]?.index ?? -1);
  };

  it('is the same before, between and after the sums are stored', async () => {
    const workspaceId = newId('ws');
    await append(workspaceId, ['a', 'b', 'a']);
    const first = [
      ['a', 'key_1', 2, 10, 18],
      ['b', 'key_1', 1, 5, 9],
    ];
    expect(await read(workspaceId)).toEqual(first);
    await rollUp();
    expect(await watermarkOf(workspaceId)).toBe(2);
    expect(await read(workspaceId)).toEqual(first);
    await append(workspaceId, ['b']);
    const second = [first[0]!, ['b', 'key_1', 2, 10, 18]];
    expect(await read(workspaceId)).toEqual(second);
    await rollUp();
    await rollUp();
    expect(await read(workspaceId)).toEqual(second);
  });

  it('is added once by concurrent replicas', async () => {
    const workspaceId = newId('ws');
    await append(workspaceId, ['a', 'a', 'a', 'b']);
    const added = await Promise.all([rollUp(), rollUp(), rollUp()]);
    expect(added.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(4);
    await rollUp();
    expect(await read(workspaceId, [])).toEqual([
      ['a', '', 3, 15, 27],
      ['b', '', 1, 5, 9],
    ]);
  });

  it('is not lost or doubled if the process is killed before the commit', async () => {
    const workspaceId = newId('ws');
    await append(workspaceId, ['a', 'a']);
    const killed = {
      ...database,
      scopedClient: ((scope, work) =>
        database.scopedClient(scope, async (client) => {
          await work(client);
          throw new Error('killed');
        })) as Database['scopedClient'],
    };
    await expect(createUsageRollUp(killed).rollUp(workspaceId, 10)).rejects.toThrow('killed');
    expect(await watermarkOf(workspaceId)).toBe(-1);
    expect(await read(workspaceId, [])).toEqual([['a', '', 2, 10, 18]]);
    expect(await createUsageRollUp(database).rollUp(workspaceId, 1)).toBe(1);
    expect(await read(workspaceId, [])).toEqual([['a', '', 2, 10, 18]]);
  });

  it('counts calls without columns, of any model name', async () => {
    const workspaceId = newId('ws');
    const names = ['o1 "\\\u0000\\u0000', 'a","pii":{"b', '\u{1f600}'];
    for (const name of names) await certifyOne(ledger.writer, workspaceId, draft(name));
    await certifyOne(ledger.writer, workspaceId, draft('a', { apiKeyId: '' }));
    await rollUp();
    const rows = await read(workspaceId);
    expect(rows.map(([model, key]) => [model, key])).toEqual(
      [
        ['a', ''],
        ['a","pii":{"b', 'key_1'],
        ['o1 "\\\ufffd\\ufffd', 'key_1'],
        ['\u{1f600}', 'key_1'],
      ].toSorted(byModel),
    );
  });

  it('belongs to one workspace', async () => {
    const workspaceId = newId('ws');
    await append(workspaceId, ['a']);
    await rollUp();
    expect(await read(newId('ws'))).toEqual([]);
  });

  it('is stored beside the certificate, and found by scanning the chain', async () => {
    const workspaceId = newId('ws');
    await append(workspaceId, ['a', 'b', 'a', 'b', 'a']);
    const calls = createCallStore(database);
    const conditions = { apiKeyId: 'key_1', fragments: ['"egress":{"model":"a"'] };
    const scan = { conditions, newestFirst: true, limit: 2 };
    const page = await scanCalls(workspaceId, scan, { calls, clock: () => 0 });
    expect(page.calls.map(({ chainIndex }) => chainIndex)).toEqual([4, 2]);
    expect(page.calls[0]).toMatchObject({
      ...{ apiKeyId: 'key_1', durationMs: 12, cachedTokens: 5, cacheWriteTokens: null },
    });
    const next = { ...scan, start: Number(page.nextCursor) };
    const last = await scanCalls(workspaceId, next, { calls, clock: () => 0 });
    expect([last.calls.map(({ chainIndex }) => chainIndex), last.nextCursor]).toEqual([[0], '']);
    const none = { ...scan, conditions: { ...conditions, apiKeyId: 'key_2' } };
    const empty = await scanCalls(workspaceId, none, { calls, clock: () => 0 });
    expect(empty).toEqual({ calls: [], nextCursor: '' });
  });
});
