import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fromBinary } from '@bufbuild/protobuf';
import { DebateSynthesizedSchema } from '@witan/contracts';
import { topology } from '@witan/contracts/topology';
import {
  applyTopology,
  createLog,
  createNatsEvents,
  newId,
  openBroker,
  startConsumer,
} from '@witan/service-kit';
import type { DomainEvent } from '@witan/service-kit';
import { NATS_MISSING, eventually, openTestNats } from '@witan/testing';
import { Registry } from 'prom-client';
import { openAgents } from './open-agents.ts';
import { openTestStorage } from './open-test-storage.ts';
import type { TestStorage } from './open-test-storage.ts';
import { beginNewDebate, createConversation, debateIn, synthesized } from './script-debate.ts';

const describeBroker = NATS_MISSING ? describe.skip : describe;
const log = createLog({ service: 'test', level: 'silent' });

const openParts = async () => {
  const owned = new AsyncDisposableStack();
  const database = owned.use(await openTestStorage());
  const nats = owned.use((await openTestNats())!);
  await applyTopology(nats.url, topology);
  const openEvents = async () =>
    createNatsEvents({
      broker: owned.use(await openBroker({ url: nats.url, name: 'test', log })),
    });
  for (const _ of [1, 2])
    owned.use(await openAgents(database.databaseUrl, { events: await openEvents() }));
  const received: DomainEvent[] = [];
  const consumer = startConsumer({
    events: await openEvents(),
    durable: 'notifier',
    handle: async (event) => void received.push(event),
    onPoison: async () => undefined,
    concurrency: 1,
    log,
    registry: new Registry(),
  });
  owned.defer(() => consumer.stop());
  return { owned, database, nats, received };
};

describeBroker(`debates that end${NATS_MISSING ? ` (${NATS_MISSING})` : ''}`, () => {
  let parts: Awaited<ReturnType<typeof openParts>>;
  beforeAll(async () => {
    parts = await openParts();
  });
  afterAll(() => parts.owned.disposeAsync());

  const endDebate = async ({ storage }: TestStorage, content: string) => {
    const workspaceId = newId('ws');
    const conversationId = await createConversation(storage, workspaceId);
    const leased = await beginNewDebate(storage.debates, workspaceId, debateIn(conversationId));
    await storage.debates.save(leased, [synthesized({ content })]);
    return { workspaceId, conversationId };
  };
  const eventOf = (workspaceId: string) =>
    eventually(() => parts.received.find((event) => event.workspaceId === workspaceId));

  it('are published by the replicas of the service', async () => {
    const { workspaceId, conversationId } = await endDebate(parts.database, 'We should.');
    const { type, payload } = await eventOf(workspaceId);
    expect(type).toBe('debate.synthesized');
    const event = fromBinary(DebateSynthesizedSchema, payload);
    expect(event).toMatchObject({ conversationId, synthesis: 'We should.' });
  });

  it('are published once after a restart of the broker', async () => {
    await parts.nats.kill('SIGKILL');
    const { workspaceId } = await endDebate(parts.database, 'Later.');
    await parts.nats.restart();
    await eventOf(workspaceId);
    const received = parts.received.filter((event) => event.workspaceId === workspaceId);
    expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  });
});
