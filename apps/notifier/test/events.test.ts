import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { topology } from '@witan/contracts/topology';
import { applyTopology, newId } from '@witan/service-kit';
import {
  NATS_MISSING,
  createTestDatabase,
  eventually,
  openPublisher,
  openReceiver,
  openTestNats,
} from '@witan/testing';
import { Client } from 'pg';
import { as, eventOf, openNotifier } from './open-notifier.ts';

const describeBroker = NATS_MISSING ? describe.skip : describe;
const TICK = 'simulation.tick.completed';

/** Two replicas, a broker, and another service in the same database. */
const openParts = async () => {
  const owned = new AsyncDisposableStack();
  const database = owned.use(await createTestDatabase(['notifier', 'simulation']));
  const nats = owned.use((await openTestNats())!);
  await applyTopology(nats.url, topology);
  const receiver = owned.use(await openReceiver());
  const config = { natsUrl: nats.url };
  const open = () => openNotifier(database.urls.notifier!, { config });
  const notifiers = [owned.use(await open()), owned.use(await open())];
  const publisher = owned.use(
    await openPublisher({
      databaseUrl: database.urls.simulation!,
      schema: 'simulation',
      natsUrl: nats.url,
    }),
  );
  return { owned, database, nats, receiver, notifiers, publisher };
};

describeBroker(`events of another service${NATS_MISSING ? ` (${NATS_MISSING})` : ''}`, () => {
  let parts: Awaited<ReturnType<typeof openParts>>;
  beforeAll(async () => {
    parts = await openParts();
  });
  afterAll(() => parts.owned.disposeAsync());

  const subscribe = async (workspaceId: string, path: string): Promise<void> => {
    const webhook = { url: parts.receiver.urlOf(path), events: [TICK] };
    await parts.notifiers[0]!.webhooks.createWebhook(webhook, as(workspaceId));
  };
  const tickOf = (workspaceId: string, turn: number) =>
    eventOf(workspaceId, TICK, { simulationId: 'sim_1', turn, stateCount: 1 });
  const turnsAt = (path: string): number[] =>
    parts.receiver
      .requestsOf(path)
      .map(({ body }) => (JSON.parse(body.toString()) as { data: { turn: number } }).data.turn)
      .toSorted((a, b) => a - b);
  const until = (path: string, count: number) =>
    eventually(async () => (turnsAt(path).length >= count ? turnsAt(path) : undefined));

  it('arrive once each, whichever replica consumes them, also after a broker restart', async () => {
    const workspaceId = newId('ws');
    await subscribe(workspaceId, '/ticks');
    const turns = Array.from({ length: 60 }, (_, turn) => turn);
    await parts.publisher.publish(...turns.slice(0, 20).map((turn) => tickOf(workspaceId, turn)));
    await until('/ticks', 5);
    await parts.nats.kill('SIGKILL');
    await parts.publisher.publish(...turns.slice(20, 40).map((turn) => tickOf(workspaceId, turn)));
    await parts.nats.wipe();
    await parts.nats.restart();
    await parts.publisher.publish(...turns.slice(40).map((turn) => tickOf(workspaceId, turn)));
    await until('/ticks', 60);
    // The last event arrived after all others, so that any duplicate would be visible by now.
    await parts.publisher.publish(tickOf(workspaceId, 60));
    expect(await until('/ticks', 61)).toEqual([...turns, 60]);
  }, 40_000);

  it('of a type that this release does not know block no others', async () => {
    const workspaceId = newId('ws');
    await subscribe(workspaceId, '/behind');
    const unknown = { ...tickOf(workspaceId, 0), type: 'agent.retired' };
    await parts.publisher.publish(unknown, tickOf(workspaceId, 1));
    expect(await until('/behind', 1)).toEqual([1]);
    const admin = new Client({ connectionString: parts.database.adminUrl });
    await admin.connect();
    const { rows } = await admin.query('SELECT fact_id FROM notifier.inbox WHERE fact_id = $1', [
      unknown.id,
    ]);
    await admin.end();
    expect(rows).toEqual([]);
  });
});
