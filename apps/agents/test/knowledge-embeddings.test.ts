import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { unavailable } from '@witan/contracts';
import { AgentTurnService, ChatService, KnowledgeService } from '@witan/contracts/services';
import { createTestDatabase, eventually } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { Client as PgClient } from 'pg';
import { addDocument as add } from './add-document.ts';
import { openFakeGateway } from './fake-gateway.ts';
import type { EmbeddingCall, FakeGateway } from './fake-gateway.ts';
import { openAgents, optionsFor } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

const MODEL = 'text-embedding-test';
const POLL_MS = 20;

/** Each list of words is one dimension of the fake model, so its words are synonyms. */
const MEANINGS = [
  ['automobile', 'car'],
  ['vacation', 'holiday'],
  ['salary', 'wage'],
] as const;

/** Returns one number for each meaning; the last one is above zero for each text. */
const toVector = (text: string): number[] => {
  const lower = text.toLowerCase();
  const counts = MEANINGS.map((words) => words.filter((word) => lower.includes(word)).length);
  return [...counts, 0.01];
};

type Embed = (call: EmbeddingCall) => Promise<number[][]>;
const embedByMeaning: Embed = async ({ texts }) => texts.map(toVector);

describe('knowledge with an embedding model', () => {
  let database: TestDatabase;
  let admin: PgClient;
  const opened: AsyncDisposable[] = [];

  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    admin = new PgClient({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterEach(async () => {
    for (const one of opened.splice(0).toReversed()) await one[Symbol.asyncDispose]();
    // The next test begins with an empty queue.
    await admin.query('DELETE FROM agents.knowledge_source');
    await admin.query('DELETE FROM agents.agent');
  });
  afterAll(async () => {
    await admin.end();
    await database[Symbol.asyncDispose]();
  });

  const open = async (
    embed: Embed = embedByMeaning,
    embeddingModel: string | null = MODEL,
  ): Promise<{ service: TestAgents; gateway: FakeGateway }> => {
    const gateway = await openFakeGateway(async () => ({ text: 'Yes.' }), embed);
    opened.push(gateway);
    const service = await openAgents(database.urls['agents']!, {
      connect: gateway.connect,
      config: { embeddingModel: embeddingModel ?? undefined },
      documentPollIntervalMs: POLL_MS,
      staleDelayMs: 0,
    });
    opened.push(service);
    return { service, gateway };
  };
  const close = async (): Promise<void> => {
    for (const one of opened.splice(0).toReversed()) await one[Symbol.asyncDispose]();
  };
  const createSource = async (service: TestAgents, workspaceId: string, name = 'Handbook') => {
    const knowledge = service.clientOf(KnowledgeService);
    return (await knowledge.createSource({ name }, optionsFor(workspaceId))).source!.id;
  };
  const addText = async (
    service: TestAgents,
    workspaceId: string,
    text: string,
    sourceId?: string,
  ): Promise<string> => {
    const knowledge = service.clientOf(KnowledgeService);
    const source = sourceId ?? (await createSource(service, workspaceId));
    return (await add(knowledge, workspaceId, { sourceId: source, text })).id;
  };
  const search = async (service: TestAgents, workspaceId: string, query: string) => {
    const knowledge = service.clientOf(KnowledgeService);
    const { passages } = await knowledge.search({ query }, optionsFor(workspaceId));
    return passages.map(({ text, score }) => ({ text, score }));
  };
  const readDocument = async (id: string) => {
    const { rows } = await admin.query<{ model: string | null; isPostponed: boolean }>(
      `SELECT embedded_model AS model, embedding_due_at > now() AS "isPostponed"
       FROM agents.knowledge_document WHERE id = $1`,
      [id],
    );
    return rows[0]!;
  };
  const awaitEmbedded = (id: string, model = MODEL): Promise<unknown> =>
    eventually(async () => (await readDocument(id)).model === model, `an embedding by ${model}`);
  const textsOf = ({ embeddings }: FakeGateway): string[] =>
    embeddings.flatMap(({ texts }) => texts);

  it('finds a document that has no word of the query', async () => {
    const { service, gateway } = await open();
    const text = 'Every automobile is kept in hall two.';
    await addText(service, 'ws_1', 'Invoices are paid within thirty days.');
    const sourceId = await createSource(service, 'ws_1', 'Plant');
    await awaitEmbedded(await addText(service, 'ws_1', text, sourceId));
    const [best] = await search(service, 'ws_1', 'Where can I park a car?');
    expect(best!.text).toBe(text);
    expect(best!.score).toBeGreaterThan(0);
    expect(best!.score).toBeLessThanOrEqual(1);
    expect(new Set(gateway.embeddings.map(({ workspaceId }) => workspaceId))).toEqual(
      new Set(['ws_1']),
    );
    expect(new Set(gateway.embeddings.map(({ model }) => model))).toEqual(new Set([MODEL]));
  });

  it('ranks first what both rankings have', async () => {
    const { service } = await open();
    const sourceId = await createSource(service, 'ws_1');
    const texts = [
      'The canteen is open. A parking lot is behind the canteen.',
      'Every automobile is kept in hall two.',
      'The parking lot is for each car of an employee.',
    ];
    for (const text of texts) {
      await awaitEmbedded(await addText(service, 'ws_1', text, sourceId));
    }
    const found = await search(service, 'ws_1', 'parking lot for my car');
    expect(found.map(({ text }) => text)).toEqual([texts[2], texts[0], texts[1]].map(String));
  });

  it('searches by terms alone without an embedding model', async () => {
    const { service, gateway } = await open(embedByMeaning, null);
    await addText(service, 'ws_1', 'Every automobile is kept in hall two.');
    expect(await search(service, 'ws_1', 'Where can I park a car?')).toEqual([]);
    expect(await search(service, 'ws_1', 'automobile')).toHaveLength(1);
    expect(gateway.embeddings).toEqual([]);
  });

  it('searches by terms alone, with the same scores, while the model fails', async () => {
    const without = await open(embedByMeaning, null);
    const id = await addText(without.service, 'ws_1', 'Every automobile is kept in hall two.');
    const expected = await search(without.service, 'ws_1', 'automobile in a hall');
    await close();
    const first = await open();
    await awaitEmbedded(id);
    expect(await search(first.service, 'ws_1', 'car')).toHaveLength(1);
    await close();
    const { service, gateway } = await open(async () => {
      throw unavailable('The provider is away.');
    });
    expect(await search(service, 'ws_1', 'automobile in a hall')).toEqual(expected);
    expect(await search(service, 'ws_1', 'car')).toEqual([]);
    expect(gateway.embeddings).toHaveLength(2);
  });

  it.each<[string, number[][]]>([
    ['too few vectors', []],
    ['a zero vector', [[0, 0, 0, 0]]],
    ['a vector of another length', [[1, 0]]],
  ])('searches by terms alone if the query gets %s', async (_name, vectors) => {
    let isQuery = false;
    const { service } = await open(async (call) => (isQuery ? vectors : embedByMeaning(call)));
    await awaitEmbedded(await addText(service, 'ws_1', 'Every automobile is in hall two.'));
    isQuery = true;
    expect(await search(service, 'ws_1', 'car')).toEqual([]);
    expect(await search(service, 'ws_1', 'automobile')).toHaveLength(1);
  });

  it('never embeds queries and documents of a local-only agent', async () => {
    const { service, gateway } = await open();
    const knowledge = service.clientOf(KnowledgeService);
    const options = optionsFor('ws_1');
    const newAgent = { name: 'Vault', systemPrompt: 'You advise.', model: 'service-sensitive' };
    const { agent } = await service.agents.createAgent(newAgent, options);
    const agentId = agent!.id;
    const secretSource = await createSource(service, 'ws_1', 'Secret');
    await knowledge.linkSource({ agentId, sourceId: secretSource }, options);
    const secretId = await addText(service, 'ws_1', 'The salary of Ann is secret.', secretSource);
    const openSource = await createSource(service, 'ws_1', 'Open');
    await awaitEmbedded(await addText(service, 'ws_1', 'Each vacation counts.', openSource));
    await eventually(async () => (await readDocument(secretId)).isPostponed, 'its postponement');
    const chat = { agentId, message: 'Which wage has Ann?', proofId: 'pf_1', requestSha256: 'ab' };
    for await (const _event of service.clientOf(ChatService).chat(chat, options));
    const plain = { name: 'Plain', systemPrompt: 'You advise.', model: 'gpt-test' };
    await service.agents.createAgent(plain, options);
    const part = { part: { case: 'text' as const, value: { text: 'Which wage has Bob?' } } };
    for (const [slug, sensitive] of [
      ['vault', false],
      ['plain', true],
    ] as const) {
      const turn = {
        address: { kind: 'agent', agent: slug, requested: `agent:${slug}`, sensitive },
        conversation: { turns: [{ role: 'user', parts: [part] }] },
        proofId: 'pf_2',
        requestSha256: 'ab',
      };
      for await (const _event of service.clientOf(AgentTurnService).run(turn, options));
    }
    await knowledge.retrieve({ query: 'Which wage has Eve?' }, options);
    expect(gateway.calls.length).toBeGreaterThanOrEqual(3);
    expect(textsOf(gateway)).toEqual(['Each vacation counts.']);
    await knowledge.retrieve({ query: 'Which wage?', embeddingAllowed: true }, options);
    expect(textsOf(gateway)).toEqual(['Each vacation counts.', 'Which wage?']);
    expect((await readDocument(secretId)).model).toBeNull();
  });

  it('embeds queries and documents of a local-only agent with a model of this machine', async () => {
    const { service, gateway } = await open(embedByMeaning, 'service-sensitive');
    const knowledge = service.clientOf(KnowledgeService);
    const options = optionsFor('ws_1');
    const newAgent = { name: 'Vault', systemPrompt: 'You advise.', model: 'service-sensitive' };
    const { agent } = await service.agents.createAgent(newAgent, options);
    const sourceId = await createSource(service, 'ws_1');
    await knowledge.linkSource({ agentId: agent!.id, sourceId }, options);
    const id = await addText(service, 'ws_1', 'The salary of Ann is secret.', sourceId);
    await awaitEmbedded(id, 'service-sensitive');
    const { passages } = await knowledge.retrieve({ query: 'wage' }, options);
    expect(passages).toHaveLength(1);
    expect(textsOf(gateway)).toEqual(['The salary of Ann is secret.', 'wage']);
  });

  it('never finds vectors of another workspace', async () => {
    const { service } = await open();
    const foreign = await addText(service, 'ws_foreign', 'Every automobile is in hall two.');
    const own = await addText(service, 'ws_own', 'Each holiday counts.');
    await awaitEmbedded(foreign);
    await awaitEmbedded(own);
    const found = await search(service, 'ws_own', 'car');
    expect(found.map(({ text }) => text)).not.toContain('Every automobile is in hall two.');
    const client = new PgClient({ connectionString: database.urls['agents']! });
    await client.connect();
    const near = (workspaceId: string) =>
      client.query(
        `SELECT chunk_id FROM nearest_vectors($1, ARRAY (SELECT generate_series(1, 1000)), $2, $3,
           '1000', 100)`,
        [workspaceId, MODEL, `fake/${MODEL}`],
      );
    expect((await near('ws_own')).rowCount).toBe(1);
    expect((await near('ws_foreign')).rowCount).toBe(1);
    expect((await near('ws_none')).rowCount).toBe(0);
    await client.end();
  });

  it('embeds all documents again for another model, and searches by terms meanwhile', async () => {
    const first = await open();
    const id = await addText(first.service, 'ws_1', 'Every automobile is in hall two.');
    await awaitEmbedded(id);
    await close();
    const released = Promise.withResolvers<void>();
    const { service } = await open(async ({ texts }) => {
      if (texts[0]!.includes('hall')) await released.promise;
      return texts.map((text) => toVector(text).toReversed());
    }, 'another-model');
    expect(await search(service, 'ws_1', 'car')).toEqual([]);
    expect(await search(service, 'ws_1', 'automobile')).toHaveLength(1);
    released.resolve();
    await awaitEmbedded(id, 'another-model');
    expect(await search(service, 'ws_1', 'car')).toHaveLength(1);
  });

  it('continues after a failure, later', async () => {
    let failures = 1;
    const { service, gateway } = await open(async (call) => {
      if (failures > 0) {
        failures -= 1;
        throw unavailable('The provider is away.');
      }
      return embedByMeaning(call);
    });
    const id = await addText(service, 'ws_1', 'Every automobile is in hall two.');
    await eventually(async () => (await readDocument(id)).isPostponed, 'a later attempt');
    await eventually(() => failures === 0, 'the failure');
    expect(gateway.embeddings).toHaveLength(1);
    await awaitEmbedded(id);
    expect(gateway.embeddings).toHaveLength(2);
  });
});
