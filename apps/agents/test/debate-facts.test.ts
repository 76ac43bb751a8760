import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fromBinary } from '@bufbuild/protobuf';
import { DebateSynthesizedSchema } from '@witan/contracts';
import { topology } from '@witan/contracts/topology';
import { applyTopology, createLog, newId, openBroker, startConsumer } from '@witan/service-kit';
import type { DomainEvent } from '@witan/service-kit';
import { NATS_MISSING, eventually, openTestNats } from '@witan/testing';
import { Registry } from 'prom-client';
import { openAgents } from './open-agents.ts';
import { openMemories } from './open-memories.ts';
import type { TestMemories } from './open-memories.ts';
import { begin, createConversation, debateIn, synthesized } from './script-debate.ts';

const describeBroker = NATS_MISSING ? describe.skip : describe;
const log = createLog({ service: 'test', level: 'silent' });

/** Two replicas of the service, a broker, and somebody who listens as the notifier does. */
const openParts = async () => {
  const owned = new AsyncDisposableStack();
  const memories = owned.use(await openMemories());
  const nats = owned.use((await openTestNats())!);
  await applyTopology(nats.url, topology);
  const config = { natsUrl: nats.url };
  for (const _ of [1, 2]) owned.use(await openAgents(memories.databaseUrl, { config }));
  const heard: DomainEvent[] = [];
  const broker = owned.use(await openBroker({ url: nats.url, name: 'test', log }));
  const consumer = startConsumer({
    broker,
    durable: 'notifier',
    handle: async (fact) => void heard.push(fact),
    onPoison: async () => undefined,
    lanes: 1,
    log,
    registry: new Registry(),
  });
  owned.defer(() => consumer.stop());
  return { owned, memories, nats, heard };
};

describeBroker(`debates that end${NATS_MISSING ? ` (${NATS_MISSING})` : ''}`, () => {
  let parts: Awaited<ReturnType<typeof openParts>>;
  beforeAll(async () => {
    parts = await openParts();
  });
  afterAll(() => parts.owned.disposeAsync());

  const endDebate = async ({ storage }: TestMemories, content: string) => {
    const workspaceId = newId('ws');
    const conversationId = await createConversation(storage, workspaceId);
    const held = await begin(storage.debates, workspaceId, debateIn(conversationId));
    await storage.debates.save(held, [synthesized({ content })]);
    return { workspaceId, conversationId };
  };
  const factOf = (workspaceId: string) =>
    eventually(() => parts.heard.find((fact) => fact.workspaceId === workspaceId));

  it('are told to the world by the replicas of the service', async () => {
    const { workspaceId, conversationId } = await endDebate(parts.memories, 'We should.');
    const { type, payload } = await factOf(workspaceId);
    expect(type).toBe('debate.synthesized');
    const told = fromBinary(DebateSynthesizedSchema, payload);
    expect(told).toMatchObject({ conversationId, synthesis: 'We should.' });
  });

  it('are told once the broker is back', async () => {
    await parts.nats.kill('SIGKILL');
    const { workspaceId } = await endDebate(parts.memories, 'Later.');
    await parts.nats.restart();
    await factOf(workspaceId);
    const heard = parts.heard.filter((fact) => fact.workspaceId === workspaceId);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(1);
  });
});
