import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { topology } from '@witan/contracts/topology';
import { applyTopology, createLog, createNatsEvents, newId, openBroker } from '@witan/service-kit';
import {
  NATS_MISSING,
  createTestDatabase,
  eventually,
  openPublisher,
  openReceiver,
  openTestNats,
} from '@witan/testing';
import { Client } from 'pg';
import { optionsFor, eventOf, openNotifier } from './open-notifier.ts';

const describeBroker = NATS_MISSING ? describe.skip : describe;
const TICK_EVENT = 'simulation.tick.completed';

const openEnvironment = async () => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await createTestDatabase(['notifier', 'simulation']));
  const nats = resources.use((await openTestNats())!);
  await applyTopology(nats.url, topology);
  const receiver = resources.use(await openReceiver());
  const log = createLog({ service: 'notifier', level: 'silent' });
  const open = async () => {
    const broker = resources.use(await openBroker({ url: nats.url, name: 'notifier', log }));
    return openNotifier(database.urls.notifier!, { events: createNatsEvents({ broker }) });
  };
  const notifiers = [resources.use(await open()), resources.use(await open())];
  const publisher = resources.use(
    await openPublisher({
      databaseUrl: database.urls.simulation!,
      schema: 'simulation',
      natsUrl: nats.url,
    }),
  );
  return { resources, database, nats, receiver, notifiers, publisher };
};

describeBroker(`events of another service${NATS_MISSING ? ` (${NATS_MISSING})` : ''}`, () => {
  let environment: Awaited<ReturnType<typeof openEnvironment>>;
  beforeAll(async () => {
    environment = await openEnvironment();
  });
  afterAll(() => environment.resources.disposeAsync());

  const subscribe = async (workspaceId: string, path: string): Promise<void> => {
    const webhook = { url: environment.receiver.urlOf(path), events: [TICK_EVENT] };
    await environment.notifiers[0]!.webhooks.createWebhook(webhook, optionsFor(workspaceId));
  };
  const tickEvent = (workspaceId: string, turn: number) =>
    eventOf(workspaceId, TICK_EVENT, { simulationId: 'sim_1', turn, stateCount: 1 });
  const receivedTurns = (path: string): number[] =>
    environment.receiver
      .requestsOf(path)
      .map(({ body }) => (JSON.parse(body.toString()) as { data: { turn: number } }).data.turn)
      .toSorted((a, b) => a - b);
  const awaitTurns = (path: string, count: number) =>
    eventually(async () => (receivedTurns(path).length >= count ? receivedTurns(path) : undefined));

  it('are delivered once each by several replicas, even across a broker restart', async () => {
    const workspaceId = newId('ws');
    await subscribe(workspaceId, '/ticks');
    const turns = Array.from({ length: 60 }, (_, turn) => turn);
    await environment.publisher.publish(
      ...turns.slice(0, 20).map((turn) => tickEvent(workspaceId, turn)),
    );
    await awaitTurns('/ticks', 5);
    await environment.nats.kill('SIGKILL');
    await environment.publisher.publish(
      ...turns.slice(20, 40).map((turn) => tickEvent(workspaceId, turn)),
    );
    await environment.nats.wipe();
    await environment.nats.restart();
    await environment.publisher.publish(
      ...turns.slice(40).map((turn) => tickEvent(workspaceId, turn)),
    );
    await awaitTurns('/ticks', 60);
    // This event is published last: when it has arrived, a duplicate of an earlier one would have
    // arrived, too.
    await environment.publisher.publish(tickEvent(workspaceId, 60));
    expect(await awaitTurns('/ticks', 61)).toEqual([...turns, 60]);
  }, 40_000);

  it('of an unknown type do not block others', async () => {
    const workspaceId = newId('ws');
    await subscribe(workspaceId, '/after-unknown');
    const unknown = { ...tickEvent(workspaceId, 0), type: 'agent.retired' };
    await environment.publisher.publish(unknown, tickEvent(workspaceId, 1));
    expect(await awaitTurns('/after-unknown', 1)).toEqual([1]);
    const admin = new Client({ connectionString: environment.database.adminUrl });
    await admin.connect();
    const { rows } = await admin.query('SELECT fact_id FROM notifier.inbox WHERE fact_id = $1', [
      unknown.id,
    ]);
    await admin.end();
    expect(rows).toEqual([]);
  });
});
