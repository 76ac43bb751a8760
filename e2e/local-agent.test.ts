import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openReceiver, openScriptedProvider } from '@witan/testing';
import type { Receiver, ScriptedProvider } from '@witan/testing';
import { answerAsAdvisor } from './answer-as-advisor.ts';
import { CHAT, createHttpClient, MESSAGES, RESPONSES } from './http-client.ts';
import type { HttpClient, RequestOptions } from './http-client.ts';
import { createMcpCaller } from './mcp/mcp-caller.ts';
import type { CreatedKey } from './open-keys.ts';
import { COMPANY } from './open-simulations.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';
import { WITHOUT_MODEL } from './routes-without-model.ts';

// One agent of a workspace is local-only. Every message to or from it, and everything derived from
// them, contains the canary, which the hosted provider must never receive: neither while the local
// agent uses every feature, nor afterwards, when hosted agents use the stored data.

const LOCAL_MODEL = 'llama-local';
const COMPACT = `${RESPONSES}/compact`;
const CANARY = 'quorvexil7c1f';
/**
 * Text that the hosted provider may receive. Its presence in requests shows that hosted agents do
 * send stored data.
 */
const ALLOWED_TEXT = 'brintopal5d2e';
const AGENT_PATH = '/v1/agents/{id}';
const CONVERSATION_PATH = '/v1/conversations/{id}';
const SIMULATION_PATH = '/v1/sim-engine/simulations/{id}';
const EMBEDDING = { model: 'text-embedding-3-small', input: `We plan ${ALLOWED_TEXT}.` };
const STREAM_OPTIONS = { headers: { accept: 'text/event-stream' } };
/** Long enough that a few turns exceed the context window, so that the session is summarized. */
const FILLER = 'and so on '.repeat(160);
const TURNS_MAX = 20;

type Ids = Parameters<DocumentedApi['call']>[2];
type CreatedObjects = Record<string, { id: string }>;

describe('a local-only agent', () => {
  let localRuntime: ScriptedProvider;
  let receiver: Receiver;
  let api: DocumentedApi;
  let client: HttpClient;
  let key: CreatedKey;
  const testedOperations = new Set<string>();
  const ids = {
    vault: '',
    craft: '',
    session: '',
    conversation: '',
    simulation: '',
    source: '',
    tool: '',
  };

  beforeAll(async () => {
    localRuntime = await openScriptedProvider({
      models: [LOCAL_MODEL],
      fallback: answerAsAdvisor(CANARY),
    });
    receiver = await openReceiver();
    receiver.respond('/rate', (_requestIndex, response) => {
      const headers = { 'content-type': 'application/json' };
      response.writeHead(200, headers).end(JSON.stringify({ rate: CANARY }));
      return 'wait';
    });
    const env = {
      LOCAL_BASE_URL: localRuntime.baseUrl,
      LOCAL_MODEL,
      WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
      WITAN_CONTEXT_TOKENS: '6000',
    };
    api = await openDocumentedApi({ fallback: answerAsAdvisor(ALLOWED_TEXT), env });
    key = await api.keys.makeKey();
    client = createHttpClient(key);
    ids.vault = await makeAgent('Vault', CANARY, 'service-sensitive');
    ids.craft = await makeAgent('Craft', ALLOWED_TEXT, 'gpt-test');
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    await localRuntime[Symbol.asyncDispose]();
  });

  const call = async (operation: string, params: Ids, init: RequestOptions = {}) => {
    testedOperations.add(operation);
    const headers = { 'x-api-key': key.apiKey, ...init.headers };
    return await api.call(client, operation, params, { ...init, headers });
  };
  const callSuccessfully = async (
    operation: string,
    params: Ids,
    body: object = {},
    options: RequestOptions = {},
  ) => {
    const answer = await call(operation, params, { body, ...options });
    const isDone = answer.status < 300 && !answer.text.includes('event: error');
    expect([operation, isDone, answer.text]).toEqual([operation, true, answer.text]);
    return answer.json;
  };
  const idOf = async (name: string, creation: Promise<unknown>): Promise<string> =>
    ((await creation) as CreatedObjects)[name]!.id;
  const makeAgent = async (name: string, remark: string, model: string): Promise<string> => {
    const systemPrompt = `You are ${name} and know ${remark}.`;
    return await idOf(
      'agent',
      callSuccessfully('POST /v1/agents', {}, { name, systemPrompt, model }),
    );
  };
  const readHostedRequests = (): string[] =>
    api.fixture.calls().map(({ body }) => Buffer.from(body).toString());
  const countLocalCalls = (): number =>
    localRuntime.requests.filter(({ method }) => method === 'POST').length;
  const complete = (path: string, model: string, content: string, stream = false) => {
    const members = path.startsWith(RESPONSES)
      ? { input: content, ...(path !== COMPACT && { stream }) }
      : { messages: [{ role: 'user', content }], max_tokens: 99, stream };
    return callSuccessfully(`POST ${path}`, {}, { model, ...members });
  };
  const chat = (agent: string, extraMembers: object = {}, init: RequestOptions = {}) =>
    callSuccessfully(
      `POST ${AGENT_PATH}/chat`,
      { id: agent },
      { message: `About ${CANARY}?`, ...extraMembers },
      init,
    );
  const callMcpTools = async (agentId: string, remark: string): Promise<void> => {
    testedOperations.add('POST /mcp');
    const content = `About ${remark}?`;
    const mcp = createMcpCaller(key);
    await mcp.callSuccessfully('ask_agent', { agentId, message: content });
    await mcp.callSuccessfully('ask_council', { conversationId: ids.conversation, content });
  };
  const simulate = async (remark: string, turns: number): Promise<string> => {
    const companyBase = { ...COMPANY, motto: remark };
    const draft = { name: `Plan ${remark}`, turnUnit: 'quarter', companyBase };
    const id = await idOf(
      'simulation',
      callSuccessfully('POST /v1/sim-engine/simulations', {}, draft),
    );
    const scenario = { name: remark, description: remark, parameters: { mood: remark } };
    const scenarioId = await idOf(
      'scenario',
      callSuccessfully(`POST ${SIMULATION_PATH}/scenarios`, { id }, scenario),
    );
    const change = { description: `Still ${remark}` };
    const patchOperation = `PATCH ${SIMULATION_PATH}/scenarios/{scenarioId}`;
    await callSuccessfully(patchOperation, { id, scenarioId }, change, { method: 'PATCH' });
    for (let turn = 0; turn < turns; turn += 1)
      await callSuccessfully(`POST ${SIMULATION_PATH}/advance`, { id });
    return id;
  };

  /** Features used by the local agent; each function makes at least one model call. */
  const LOCAL_FEATURES: [string, () => Promise<unknown>][] = [
    [
      'chat, with its context, facts and tools',
      async () => {
        await chat(ids.vault);
        const parameters = { type: 'object', properties: { pair: { type: 'string' } } };
        const url = receiver.urlOf('/rate');
        const tool = { name: 'rate', description: CANARY, url, parameters };
        const toolId = await idOf('tool', callSuccessfully('POST /v1/tools', {}, tool));
        await callSuccessfully(`POST ${AGENT_PATH}/tools`, { id: ids.vault }, { toolId });
        ids.tool = toolId;
        const context = [{ category: 'note', data: CANARY }];
        const more = { context, extraction: {}, tools: { enabled: true } };
        const { sessionId } = (await chat(ids.vault, more)) as { sessionId: string };
        ids.session = sessionId;
        await chat(ids.vault, { sessionId }, STREAM_OPTIONS);
        await chat(ids.vault, { options: { reflection: true } });
        const fields = { remark: 'what you know' };
        await chat(ids.vault, { responseFormat: { type: 'json', fields } });
      },
    ],
    [
      'a session until it is summarized',
      async () => {
        const isSummarized = () =>
          localRuntime.requests.some(({ body }) => body.includes('You keep the minutes'));
        for (let turn = 0; turn < TURNS_MAX && !isSummarized(); turn += 1) {
          await chat(ids.vault, { sessionId: ids.session, message: `${CANARY} ${FILLER}` });
        }
        expect(isSummarized()).toBe(true);
      },
    ],
    [
      'its documents and memories',
      async () => {
        const creation = callSuccessfully('POST /v1/knowledge/sources', {}, { name: 'Secret' });
        const id = await idOf('source', creation);
        ids.source = id;
        const document = { title: 'Merger', content: `The merger is called ${CANARY}.` };
        await callSuccessfully('POST /v1/knowledge/sources/{id}/documents', { id }, document);
        await callSuccessfully(`POST ${AGENT_PATH}/knowledge`, { id: ids.vault }, { sourceId: id });
        await callSuccessfully('POST /v1/knowledge/search', {}, { query: CANARY });
        const memories = [true, false].map((isGlobal) => ({
          key: `api ${isGlobal}`,
          value: CANARY,
          global: isGlobal,
        }));
        await callSuccessfully(`POST ${AGENT_PATH}/memory`, { id: ids.vault }, { memories });
        await chat(ids.vault, { message: 'What is the merger called?' });
      },
    ],
    [
      'every kind of local-only address, in each dialect',
      async () => {
        const models = ['agent:vault', 'agent:vault+knowledge', 'Agent:Vault', 'service-sensitive'];
        for (const model of [...models, 'gpt-test%2Bsensitive', 'agent:craft+sensitive']) {
          for (const path of [CHAT, MESSAGES, RESPONSES]) {
            await complete(path, model, CANARY);
            await complete(path, model, CANARY, true);
          }
          await complete(COMPACT, model, CANARY);
          const messages = [{ role: 'user', content: CANARY }];
          await callSuccessfully(`POST ${MESSAGES}/count_tokens`, {}, { model, messages });
        }
      },
    ],
    [
      'a debate',
      async () => {
        const creation = callSuccessfully('POST /v1/conversations', {}, { title: CANARY });
        ids.conversation = await idOf('conversation', creation);
        const content = { content: `Shall we do ${CANARY}?` };
        await callSuccessfully(
          `POST ${CONVERSATION_PATH}/message`,
          { id: ids.conversation },
          content,
        );
        await callSuccessfully(
          `POST ${CONVERSATION_PATH}/message`,
          { id: ids.conversation },
          content,
          STREAM_OPTIONS,
        );
        const conversation = (await client.send(`/v1/conversations/${ids.conversation}`)).json;
        const { debates } = (conversation as { conversation: { debates: { debateId: string }[] } })
          .conversation;
        const { debateId } = debates[0]!;
        const events = `GET ${CONVERSATION_PATH}/debates/{debateId}/events`;
        await call(events, { id: ids.conversation, debateId }, STREAM_OPTIONS);
      },
    ],
    ['calls over MCP', () => callMcpTools(ids.vault, CANARY)],
    [
      'a simulation, to its report',
      async () => {
        const id = await simulate(CANARY, 1);
        await callSuccessfully(`POST ${SIMULATION_PATH}/advance`, { id }, {}, STREAM_OPTIONS);
        await callSuccessfully(`POST ${SIMULATION_PATH}/forecast`, { id }, { turns: 2, runs: 10 });
        await callSuccessfully(`POST ${SIMULATION_PATH}/finalize`, { id });
        await callSuccessfully(`POST ${SIMULATION_PATH}/replay`, { id });
        // This simulation is advanced and finished later, when the agent uses a hosted model.
        ids.simulation = await simulate(CANARY, 1);
      },
    ],
  ];

  it.each(LOCAL_FEATURES)('uses only the local runtime for %s', async (_name, useFeature) => {
    const before = countLocalCalls();
    await useFeature();
    expect(countLocalCalls()).toBeGreaterThan(before);
    expect(readHostedRequests()).toEqual([]);
  });

  it('closes its sessions and hides its memories when it becomes hosted, and counts both', async () => {
    // Documents and tools belong to the workspace and stay usable for linked agents, so both are
    // unlinked before the agent becomes hosted.
    const { vault: id, source: sourceId, tool: toolId } = ids;
    await call(`DELETE ${AGENT_PATH}/knowledge/{sourceId}`, { id, sourceId });
    await call(`DELETE ${AGENT_PATH}/tools/{toolId}`, { id, toolId });
    const change = { model: 'gpt-test', systemPrompt: `You know ${ALLOWED_TEXT}.` };
    const init = { method: 'PATCH' };
    const updated = await callSuccessfully(`PATCH ${AGENT_PATH}`, { id: ids.vault }, change, init);
    expect(updated).toMatchObject({ closedSessions: 6, hiddenMemories: expect.any(Number) });
    expect((updated as { hiddenMemories: number }).hiddenMemories).toBeGreaterThanOrEqual(3);
    const body = { message: 'Go on.', sessionId: ids.session };
    const refusal = await call(`POST ${AGENT_PATH}/chat`, { id: ids.vault }, { body });
    expect([refusal.status, refusal.json]).toMatchObject([
      409,
      { error: { code: 'session_closed', param: 'sessionId' } },
    ]);
    const session = await call(`GET ${AGENT_PATH}/sessions/{sid}`, {
      id: ids.vault,
      sid: ids.session,
    });
    expect(session.json).toMatchObject({ session: { closed: true } });
    const { json } = await call(`GET ${AGENT_PATH}/memory`, { id: ids.craft });
    expect((json as { memories: object[] }).memories).toContainEqual(
      expect.objectContaining({ key: 'merger', global: true, localOnly: true }),
    );
    expect(readHostedRequests()).toEqual([]);
  });

  /** Features used by hosted agents with stored data; each function calls the hosted provider. */
  const HOSTED_FEATURES: [string, () => Promise<unknown>][] = [
    [
      'chat',
      async () => {
        for (const id of [ids.craft, ids.vault]) {
          await chat(id, { message: `The merger, ${ALLOWED_TEXT}?`, extraction: {} });
        }
      },
    ],
    [
      'addresses',
      async () => {
        for (const model of ['agent:craft', 'agent:vault', 'service-auto', 'gpt-test']) {
          const paths = [CHAT, MESSAGES, RESPONSES, COMPACT];
          for (const path of paths) await complete(path, model, ALLOWED_TEXT);
        }
      },
    ],
    [
      'a debate of the same conversation',
      () => {
        const content = { content: `And ${ALLOWED_TEXT}?` };
        return callSuccessfully(
          `POST ${CONVERSATION_PATH}/message`,
          { id: ids.conversation },
          content,
        );
      },
    ],
    ['calls over MCP', () => callMcpTools(ids.craft, ALLOWED_TEXT)],
    [
      'a simulation of its own, to its report',
      async () => {
        const id = await simulate(ALLOWED_TEXT, 1);
        await callSuccessfully(`POST ${SIMULATION_PATH}/finalize`, { id });
      },
    ],
    [
      'a completion without an agent',
      () => {
        const messages = [{ role: 'user', content: `We plan ${ALLOWED_TEXT}.` }];
        const extraction = { source: 'test', categories: ['plan'], persist: true };
        return callSuccessfully(
          'POST /v1/ai/complete',
          {},
          { systemPrompt: ALLOWED_TEXT, messages, extraction },
        );
      },
    ],
    ['embeddings', () => callSuccessfully('POST /v1/embeddings', {}, EMBEDDING)],
    [
      'market analyses',
      async () => {
        await callSuccessfully('POST /v1/market-analysis', {}, { query: ALLOWED_TEXT });
        await callSuccessfully('POST /v1/market-analysis/stream', {}, { query: ALLOWED_TEXT });
      },
    ],
  ];

  it.each(HOSTED_FEATURES)('leaks nothing into %s', async (_name, useFeature) => {
    const before = readHostedRequests().length;
    await useFeature();
    const sent = readHostedRequests().slice(before);
    expect(sent.join('\n')).toContain(ALLOWED_TEXT);
    expect(sent.filter((text) => text.includes(CANARY))).toEqual([]);
  });

  it('leaks nothing into its own simulation, which continues with hosted models', async () => {
    const before = readHostedRequests().length;
    await callSuccessfully(`POST ${SIMULATION_PATH}/advance`, { id: ids.simulation });
    await callSuccessfully(`POST ${SIMULATION_PATH}/finalize`, { id: ids.simulation });
    expect(readHostedRequests().slice(before)).toEqual([]);
  });

  it('gets all of its data back when it is local-only again', async () => {
    const before = readHostedRequests().length;
    const change = { model: 'service-sensitive' };
    const updated = await callSuccessfully(`PATCH ${AGENT_PATH}`, { id: ids.vault }, change, {
      method: 'PATCH',
    });
    expect(Object.keys(updated as object)).toEqual(['agent']);
    await chat(ids.vault, { sessionId: ids.session, message: 'What was the merger called?' });
    expect(localRuntime.requests.at(-1)!.body.toString()).toContain(CANARY);
    expect(readHostedRequests().slice(before)).toEqual([]);
  });

  it('was tested with every operation that may call a model', async () => {
    const { json } = await client.send('/v1/openapi.json');
    const { paths } = json as { paths: Record<string, Record<string, { operationId: string }>> };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId }]) =>
        operationId ? [{ operationId, operation: `${method.toUpperCase()} ${path}` }] : [],
      ),
    );
    const needsNoModel = ({ operationId }: { operationId: string }) => operationId in WITHOUT_MODEL;
    const untested = operations.filter(
      (one) => !needsNoModel(one) && !testedOperations.has(one.operation),
    );
    expect(untested).toEqual([]);
    const operationIds = new Set(operations.map(({ operationId }) => operationId));
    expect(Object.keys(WITHOUT_MODEL).filter((id) => !operationIds.has(id))).toEqual([]);
  });
});
