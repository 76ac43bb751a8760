import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, createSecretCipher, everyWorkspace, newId } from '@witan/service-kit';
import type { Database, SecretCipher } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { openStorage } from '../../open-storage.ts';
import type { ResponseStore, StoredResponse } from '../stored-response.ts';
import { createAssertRoom, createResponseStore, deleteExpiredResponses } from './response-store.ts';

const BYTES_MAX = 2_000_000;
const SECRET_TEXT = 'a very particular answer';

describe('the store of responses', () => {
  let database: TestDatabase;
  let storage: Database;
  let store: ResponseStore;
  const secretCipher = createSecretCipher(randomBytes(32).toString('base64'));
  /** Records when decrypting a part of a response begins and ends. */
  const watchCipher = (steps: string[]): SecretCipher => ({
    ...secretCipher,
    decryptInSteps: async (encrypted, context) => {
      const id = context.split(':').at(-1)!;
      steps.push(`begin ${id}`);
      const text = await secretCipher.decryptInSteps(encrypted, context);
      steps.push(`end ${id}`);
      return text;
    },
  });
  beforeAll(async () => {
    database = await createTestDatabase(['api-gateway']);
    const url = database.urls['api-gateway']!;
    storage = await openStorage(url, createLog({ service: 'api-gateway', level: 'silent' }));
    store = createResponseStore(storage, secretCipher, { bytesMax: BYTES_MAX });
  });
  afterAll(async () => {
    await storage[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const makeResponse = (previousId = ''): StoredResponse => ({
    id: newId('resp'),
    previousId,
    isLocal: false,
    modules: ['agents'],
    proofId: newId('pf'),
    input: [{ type: 'message', role: 'user', content: 'Zoë?' }],
    response: { output: [{ type: 'message', content: SECRET_TEXT }] },
  });
  const saveChain = async (workspaceId: string, length: number): Promise<StoredResponse[]> => {
    const chain: StoredResponse[] = [];
    for (let index = 0; index < length; index += 1) {
      const response = makeResponse(chain.at(-1)?.id);
      await store.save(workspaceId, response);
      chain.push(response);
    }
    return chain;
  };
  const execute = (sql: string, values: unknown[]) =>
    storage.scoped(everyWorkspace, (em) => em.execute<Record<string, unknown>[]>(sql, values));

  it('finds a response in its workspace only, until it is removed', async () => {
    const [workspaceId, other] = [newId('ws'), newId('ws')];
    const [response] = await saveChain(workspaceId, 1);
    const { input, ...found } = response!;
    expect(await store.find(workspaceId, response!.id)).toEqual(found);
    expect(await store.findInput(workspaceId, response!.id)).toEqual(input);
    expect(await store.find(other, response!.id)).toBeUndefined();
    expect(await store.findInput(other, response!.id)).toBeUndefined();
    expect(await store.remove(other, response!.id)).toBe(false);
    expect(await store.remove(workspaceId, response!.id)).toBe(true);
    expect(await store.find(workspaceId, response!.id)).toBeUndefined();
    expect(await store.remove(workspaceId, response!.id)).toBe(false);
  });

  it('replaces a response, but not one that was removed', async () => {
    const workspaceId = newId('ws');
    const [queued] = await saveChain(workspaceId, 1);
    const ended = { ...queued!, proofId: newId('pf'), response: { output: [] } };
    await store.replace(workspaceId, ended);
    expect(await store.findChain(workspaceId, queued!.id)).toEqual([ended]);
    await store.remove(workspaceId, queued!.id);
    await store.replace(workspaceId, ended);
    expect(await store.find(workspaceId, queued!.id)).toBeUndefined();
  });

  it('finds a chain, oldest first, and none of which a response is missing', async () => {
    const workspaceId = newId('ws');
    const chain = await saveChain(workspaceId, 4);
    expect(await store.findChain(workspaceId, chain[2]!.id)).toEqual(chain.slice(0, 3));
    expect(await store.findChain(newId('ws'), chain[2]!.id)).toBeUndefined();
    expect(await store.findChain(workspaceId, newId('resp'))).toBeUndefined();
    await store.remove(workspaceId, chain[1]!.id);
    expect(await store.findChain(workspaceId, chain[3]!.id)).toBeUndefined();
    expect(await store.findChain(workspaceId, chain[0]!.id)).toEqual([chain[0]]);
  });

  it('reads responses that contain their input, as the previous release wrote them', async () => {
    const workspaceId = newId('ws');
    const [response] = await saveChain(workspaceId, 1);
    const { id, previousId: _, ...content } = response!;
    const sealed = secretCipher.encrypt(
      JSON.stringify(content),
      `stored_response:${workspaceId}:${id}`,
    );
    const values = [sealed, id];
    await execute(
      'UPDATE stored_response SET sealed_input = NULL, sealed_response = ? WHERE id = ?',
      values,
    );
    expect(await store.findInput(workspaceId, id)).toEqual(response!.input);
    expect(await store.findChain(workspaceId, id)).toEqual([response]);
    expect(await store.find(workspaceId, id)).toMatchObject({ proofId: response!.proofId });
  });

  it('reads and writes one large part of a workspace at a time, and others meanwhile', async () => {
    const [workspaceId, other] = [newId('ws'), newId('ws')];
    const large = { ...makeResponse(), input: [{ content: 'x'.repeat(1_100_000) }] };
    const [small] = await saveChain(other, 1);
    const steps: string[] = [];
    const watched = createResponseStore(storage, watchCipher(steps), { bytesMax: BYTES_MAX });
    await watched.save(workspaceId, large);
    steps.length = 0;
    await Promise.all([
      watched.findInput(workspaceId, large.id),
      watched.findChain(workspaceId, large.id),
      watched.findInput(other, small!.id),
    ]);
    const own = steps.filter((step) => step.endsWith(large.id));
    expect(own).toHaveLength(6);
    // Each part begins after the end of the one before it.
    expect(own.map((step) => step.split(' ')[0])).toEqual([
      'begin',
      'end',
      'begin',
      'end',
      'begin',
      'end',
    ]);
    expect(steps.indexOf(`end ${small!.id}`)).toBeLessThan(steps.lastIndexOf(`begin ${large.id}`));
  });

  it('refuses a conversation of too many responses', async () => {
    const workspaceId = newId('ws');
    const [first, last] = await saveChain(workspaceId, 2);
    // Rows of their own are too slow to write one by one; a response that continues itself is read
    // until the limit.
    await execute('UPDATE stored_response SET previous_id = ? WHERE id = ?', [last!.id, first!.id]);
    await expect(store.findChain(workspaceId, last!.id)).rejects.toMatchObject({
      reason: 'REQUEST_TOO_LARGE',
      fields: { param: 'previous_response_id' },
    });
  });

  it('reserves memory before it reads, and reads nothing if there is none', async () => {
    const workspaceId = newId('ws');
    const chain = await saveChain(workspaceId, 3);
    const [{ total }] = (await execute(
      `SELECT sum(length(sealed_response) + length(sealed_input))::int AS total
       FROM stored_response WHERE workspace_id = ?`,
      [workspaceId],
    )) as [{ total: number }];
    const reserved: number[] = [];
    const reserve = (bytes: number): void => void reserved.push(bytes);
    await store.findChain(workspaceId, chain[2]!.id, reserve);
    await store.find(workspaceId, chain[0]!.id, reserve);
    expect(reserved[0]).toBe(2 * total);
    expect(reserved[1]).toBeLessThan(total);
    const full = new Error('full');
    const refuse = (): never => {
      throw full;
    };
    await expect(store.find(workspaceId, chain[0]!.id, refuse)).rejects.toBe(full);
    await expect(store.findChain(workspaceId, chain[2]!.id, refuse)).rejects.toBe(full);
  });

  it('counts the bytes of each workspace, and refuses what exceeds their limit', async () => {
    const [workspaceId, other] = [newId('ws'), newId('ws')];
    const assertRoom = createAssertRoom(storage, { bytesMax: BYTES_MAX });
    const makeLarge = (): StoredResponse => ({
      ...makeResponse(),
      input: [{ role: 'user', content: 'x'.repeat(700_000) }],
    });
    const [first, second, third] = [makeLarge(), makeLarge(), makeLarge()];
    await store.save(workspaceId, first);
    await store.save(workspaceId, second);
    const refusal = { reason: 'RATE_LIMITED', fields: { code: 'stored_responses_full' } };
    await expect(store.save(workspaceId, third)).rejects.toMatchObject(refusal);
    await expect(assertRoom(workspaceId, 700_000)).rejects.toMatchObject(refusal);
    await assertRoom(other, 700_000);
    await store.save(other, third);
    await store.replace(workspaceId, { ...first, response: { status: 'failed' } });
    expect(await store.findInput(workspaceId, first.id)).toEqual([]);
    await store.save(workspaceId, third);
    await store.remove(workspaceId, second.id);
    await store.save(workspaceId, makeLarge());
    const usage = `
      SELECT usage.bytes = sum(
        octet_length(sealed_response) + coalesce(octet_length(sealed_input), 0)) AS is_exact
      FROM stored_response_usage AS usage JOIN stored_response USING (workspace_id)
      WHERE workspace_id = ? GROUP BY usage.bytes`;
    expect(await execute(usage, [workspaceId])).toEqual([{ is_exact: true }]);
  });

  it('stores no text that can be read', async () => {
    const workspaceId = newId('ws');
    await saveChain(workspaceId, 1);
    const rows = await execute('SELECT * FROM stored_response WHERE workspace_id = ?', [
      workspaceId,
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/particular|Zoë/);
  });

  it('deletes what expired after 30 days', async () => {
    const workspaceId = newId('ws');
    const [old, fresh] = [makeResponse(), makeResponse()];
    await store.save(workspaceId, old);
    await store.save(workspaceId, fresh);
    const days = await execute(
      'SELECT extract(day FROM expires_at - created_at)::int AS days FROM stored_response WHERE id = ?',
      [old.id],
    );
    expect(days).toEqual([{ days: 30 }]);
    await execute("UPDATE stored_response SET expires_at = now() - interval '1 s' WHERE id = ?", [
      old.id,
    ]);
    expect(await store.find(workspaceId, old.id)).toBeUndefined();
    expect(await deleteExpiredResponses(storage)).toBeGreaterThanOrEqual(1);
    const rows = await execute('SELECT id FROM stored_response WHERE workspace_id = ?', [
      workspaceId,
    ]);
    expect(rows).toEqual([{ id: fresh.id }]);
  });
});
