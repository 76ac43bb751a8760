import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openReceiver, openTestSystem } from '@witan/testing';
import type { Receiver, TestSystem } from '@witan/testing';
import { Client } from 'pg';
import { createHttpClient } from './http-client.ts';
import type { HttpClient } from './http-client.ts';
import { COMPANY, LIST_PATH } from './open-simulations.ts';

const EVENT = 'simulation.tick.completed';

describe('webhooks of a system without a broker', () => {
  let system: TestSystem;
  let receiver: Receiver;
  let client: HttpClient;
  beforeAll(async () => {
    receiver = await openReceiver();
    system = await openTestSystem({ env: { WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1' } });
    client = createHttpClient(system);
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
  });

  const post = async <T>(path: string, body: object = {}): Promise<T> => {
    const { status, json, text } = await client.send(path, { method: 'POST', body });
    expect([path, Math.floor(status / 100), text]).toEqual([path, 2, text]);
    return json as T;
  };
  const createSimulation = async (): Promise<string> => {
    const draft = { name: 'North', turnUnit: 'quarter', companyBase: COMPANY };
    return (await post<{ simulation: { id: string } }>(LIST_PATH, draft)).simulation.id;
  };
  const advance = (id: string): Promise<unknown> => post(`${LIST_PATH}/${id}/advance`);
  const receivedTurns = (id: string): number[] =>
    receiver
      .requestsOf('/in')
      .map(({ body }) => JSON.parse(body.toString()) as Body)
      .filter(({ data }) => data.simulationId === id)
      .map(({ data }) => data.turn);

  it('arrive once each, also if a service is restarted in between', async () => {
    await post('/v1/webhooks', { url: receiver.urlOf('/in'), events: [EVENT] });
    const id = await createSimulation();
    await advance(id);
    await eventually(() => receivedTurns(id).length === 1, 'the first delivery');
    await eventually(async () => (await countUnpublished()) === 0, 'a marked event');
    const startNotifier = await system.interrupt('notifier');
    await advance(id);
    const startSimulation = await system.interrupt('simulation');
    await startSimulation();
    await advance(id);
    expect(await countUnpublished()).toBe(2);
    await startNotifier();
    await eventually(() => receivedTurns(id).length === 3, 'the deliveries after the restart');
    await eventually(async () => (await countUnpublished()) === 0, 'an empty outbox');
    // Not in order, because the notifier handles several events concurrently.
    expect(receivedTurns(id).length).toBe(3);
    expect(new Set(receivedTurns(id))).toEqual(new Set([1, 2, 3]));
  });

  const countUnpublished = async (): Promise<number> => {
    const database = new Client({ connectionString: system.databaseUrl });
    await database.connect();
    const { rows } = await database.query(
      'SELECT count(*)::int AS count FROM simulation.outbox WHERE published_at IS NULL',
    );
    await database.end();
    return rows[0].count;
  };
});

type Body = { data: { simulationId: string; turn: number } };
