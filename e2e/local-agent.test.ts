import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openReceiver, openScriptedProvider } from '@witan/testing';
import type { Receiver, ScriptedProvider } from '@witan/testing';
import { answerAsAdvisor } from './answer-as-advisor.ts';
import { CHAT, createHttpClient, MESSAGES } from './http-client.ts';
import type { HttpClient, RequestOptions } from './http-client.ts';
import type { CreatedKey } from './open-keys.ts';
import { COMPANY } from './open-simulations.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';
import { WITHOUT_MODEL } from './routes-without-model.ts';

// One agent of a workspace is local-only. Every message to or from it, and everything derived from
// them, contains the canary, which the hosted provider must never receive: neither while the local
// agent uses every feature, nor afterwards, when hosted agents use the stored data.

const LOCAL_MODEL = 'llama-local';
const CANARY = 'quorvexil7c1f';
/**
 * Text that the hosted provider may receive; its presence shows that it does receive stored data.
 */
const OPEN = 'brintopal5d2e';
const AGENT = '/v1/agents/{id}';
const CONVERSATION = '/v1/conversations/{id}';
const SIMULATION = '/v1/sim-engine/simulations/{id}';
const STREAMED = { headers: { accept: 'text/event-stream' } };
/** Long enough that a few turns exceed the context window, so that the session is summarized. */
const FILLER = 'and so on '.repeat(160);
const TURNS_MAX = 20;

type Ids = Parameters<DocumentedApi['call']>[2];
type CreatedObjects = Record<string, { id: string }>;

describe('a local-only agent', () => {
  let local: ScriptedProvider;
  let receiver: Receiver;
  let api: DocumentedApi;
  let client: HttpClient;
  let key: CreatedKey;
  const played = new Set<string>();
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
    local = await openScriptedProvider({
      models: [LOCAL_MODEL],
      fallback: answerAsAdvisor(CANARY),
    });
    receiver = await openReceiver();
    receiver.respond('/rate', (_turn, response) => {
      const head = { 'content-type': 'application/json' };
      response.writeHead(200, head).end(JSON.stringify({ rate: CANARY }));
      return 'wait';
    });
    const env = {
      LOCAL_BASE_URL: local.baseUrl,
      LOCAL_MODEL,
      WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
      WITAN_CONTEXT_TOKENS: '6000',
    };
    api = await openDocumentedApi({ fallback: answerAsAdvisor(OPEN), env });
    key = await api.keys.makeKey();
    client = createHttpClient(key);
    ids.vault = await makeAgent('Vault', CANARY, 'service-sensitive');
    ids.craft = await makeAgent('Craft', OPEN, 'gpt-test');
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    await local[Symbol.asyncDispose]();
  });

  const call = async (operation: string, params: Ids, init: RequestOptions = {}) => {
    played.add(operation);
    const headers = { 'x-api-key': key.apiKey, ...init.headers };
    return await api.call(client, operation, params, { ...init, headers });
  };
  const ask = async (
    operation: string,
    params: Ids,
    body: object = {},
    more: RequestOptions = {},
  ) => {
    const answer = await call(operation, params, { body, ...more });
    const isDone = answer.status < 300 && !answer.text.includes('event: error');
    expect([operation, isDone, answer.text]).toEqual([operation, true, answer.text]);
    return answer.json;
  };
  const idOf = async (name: string, made: Promise<unknown>): Promise<string> =>
    ((await made) as CreatedObjects)[name]!.id;
  const makeAgent = async (name: string, remark: string, model: string): Promise<string> => {
    const systemPrompt = `You are ${name} and know ${remark}.`;
    return await idOf('agent', ask('POST /v1/agents', {}, { name, systemPrompt, model }));
  };
  const hosted = (): string[] =>
    api.fixture.calls().map(({ body }) => Buffer.from(body).toString());
  const asLocal = (): number => local.requests.filter(({ method }) => method === 'POST').length;
  const ping = (path: string, model: string, content: string, stream = false) => {
    const limit = path === CHAT ? {} : { max_tokens: 99 };
    return ask(
      `POST ${path}`,
      {},
      { model, messages: [{ role: 'user', content }], stream, ...limit },
    );
  };
  const chat = (agent: string, more: object = {}, init: RequestOptions = {}) =>
    ask(`POST ${AGENT}/chat`, { id: agent }, { message: `About ${CANARY}?`, ...more }, init);
  const simulate = async (remark: string, turns: number): Promise<string> => {
    const companyBase = { ...COMPANY, motto: remark };
    const draft = { name: `Plan ${remark}`, turnUnit: 'quarter', companyBase };
    const id = await idOf('simulation', ask('POST /v1/sim-engine/simulations', {}, draft));
    const scenario = { name: remark, description: remark, parameters: { mood: remark } };
    const scenarioId = await idOf(
      'scenario',
      ask(`POST ${SIMULATION}/scenarios`, { id }, scenario),
    );
    const change = { description: `Still ${remark}` };
    const patched = `PATCH ${SIMULATION}/scenarios/{scenarioId}`;
    await ask(patched, { id, scenarioId }, change, { method: 'PATCH' });
    for (let turn = 0; turn < turns; turn += 1) await ask(`POST ${SIMULATION}/advance`, { id });
    return id;
  };

  /** Features used by the local agent; each function makes at least one model call. */
  const LOCAL: [string, () => Promise<unknown>][] = [
    [
      'chat, with its context, facts and tools',
      async () => {
        await chat(ids.vault);
        const parameters = { type: 'object', properties: { pair: { type: 'string' } } };
        const url = receiver.urlOf('/rate');
        const tool = { name: 'rate', description: CANARY, url, parameters };
        const toolId = await idOf('tool', ask('POST /v1/tools', {}, tool));
        await ask(`POST ${AGENT}/tools`, { id: ids.vault }, { toolId });
        ids.tool = toolId;
        const context = [{ category: 'note', data: CANARY }];
        const more = { context, extraction: {}, tools: { enabled: true } };
        const { sessionId } = (await chat(ids.vault, more)) as { sessionId: string };
        ids.session = sessionId;
        await chat(ids.vault, { sessionId }, STREAMED);
        await chat(ids.vault, { options: { reflection: true } });
        const fields = { remark: 'what you know' };
        await chat(ids.vault, { responseFormat: { type: 'json', fields } });
      },
    ],
    [
      'a session until it is summarized',
      async () => {
        const isSummarized = () =>
          local.requests.some(({ body }) => body.includes('You keep the minutes'));
        for (let turn = 0; turn < TURNS_MAX && !isSummarized(); turn += 1) {
          await chat(ids.vault, { sessionId: ids.session, message: `${CANARY} ${FILLER}` });
        }
        expect(isSummarized()).toBe(true);
      },
    ],
    [
      'its documents and memories',
      async () => {
        const made = ask('POST /v1/knowledge/sources', {}, { name: 'Secret' });
        const id = await idOf('source', made);
        ids.source = id;
        const document = { title: 'Merger', content: `The merger is called ${CANARY}.` };
        await ask('POST /v1/knowledge/sources/{id}/documents', { id }, document);
        await ask(`POST ${AGENT}/knowledge`, { id: ids.vault }, { sourceId: id });
        await ask('POST /v1/knowledge/search', {}, { query: CANARY });
        const memories = [true, false].map((isGlobal) => ({
          key: `api ${isGlobal}`,
          value: CANARY,
          global: isGlobal,
        }));
        await ask(`POST ${AGENT}/memory`, { id: ids.vault }, { memories });
        await chat(ids.vault, { message: 'What is the merger called?' });
      },
    ],
    [
      'its address and the others that keep a call here, in both dialects',
      async () => {
        const models = ['agent:vault', 'agent:vault+knowledge', 'Agent:Vault', 'service-sensitive'];
        for (const model of [...models, 'gpt-test%2Bsensitive', 'agent:craft+sensitive']) {
          for (const path of [CHAT, MESSAGES]) {
            await ping(path, model, CANARY);
            await ping(path, model, CANARY, true);
          }
          const messages = [{ role: 'user', content: CANARY }];
          await ask(`POST ${MESSAGES}/count_tokens`, {}, { model, messages });
        }
      },
    ],
    [
      'a debate',
      async () => {
        const made = ask('POST /v1/conversations', {}, { title: CANARY });
        ids.conversation = await idOf('conversation', made);
        const content = { content: `Shall we do ${CANARY}?` };
        await ask(`POST ${CONVERSATION}/message`, { id: ids.conversation }, content);
        await ask(`POST ${CONVERSATION}/message`, { id: ids.conversation }, content, STREAMED);
        const whole = (await client.send(`/v1/conversations/${ids.conversation}`)).json;
        const { debates } = (whole as { conversation: { debates: { debateId: string }[] } })
          .conversation;
        const { debateId } = debates[0]!;
        const events = `GET ${CONVERSATION}/debates/{debateId}/events`;
        await call(events, { id: ids.conversation, debateId }, STREAMED);
      },
    ],
    [
      'a simulation, to its report',
      async () => {
        const id = await simulate(CANARY, 1);
        await ask(`POST ${SIMULATION}/advance`, { id }, {}, STREAMED);
        await ask(`POST ${SIMULATION}/forecast`, { id }, { turns: 2, runs: 10 });
        await ask(`POST ${SIMULATION}/finalize`, { id });
        await ask(`POST ${SIMULATION}/replay`, { id });
        // This simulation is advanced and finished later, when the agent uses a hosted model.
        ids.simulation = await simulate(CANARY, 1);
      },
    ],
  ];

  it.each(LOCAL)('uses only the local runtime for %s', async (_name, play) => {
    const before = asLocal();
    await play();
    expect(asLocal()).toBeGreaterThan(before);
    expect(hosted()).toEqual([]);
  });

  it('closes its sessions and hides its memories when it becomes hosted, and counts both', async () => {
    // Documents and tools belong to the workspace, and an agent may use those that are linked to
    // it.
    const { vault: id, source: sourceId, tool: toolId } = ids;
    await call(`DELETE ${AGENT}/knowledge/{sourceId}`, { id, sourceId });
    await call(`DELETE ${AGENT}/tools/{toolId}`, { id, toolId });
    const change = { model: 'gpt-test', systemPrompt: `You know ${OPEN}.` };
    const init = { method: 'PATCH' };
    const moved = await ask(`PATCH ${AGENT}`, { id: ids.vault }, change, init);
    expect(moved).toMatchObject({ closedSessions: 5, hiddenMemories: expect.any(Number) });
    expect((moved as { hiddenMemories: number }).hiddenMemories).toBeGreaterThanOrEqual(3);
    const body = { message: 'Go on.', sessionId: ids.session };
    const refused = await call(`POST ${AGENT}/chat`, { id: ids.vault }, { body });
    expect([refused.status, refused.json]).toMatchObject([
      409,
      { error: { code: 'session_closed', param: 'sessionId' } },
    ]);
    const session = await call(`GET ${AGENT}/sessions/{sid}`, { id: ids.vault, sid: ids.session });
    expect(session.json).toMatchObject({ session: { closed: true } });
    const { json } = await call(`GET ${AGENT}/memory`, { id: ids.craft });
    expect((json as { memories: object[] }).memories).toContainEqual(
      expect.objectContaining({ key: 'merger', global: true, localOnly: true }),
    );
    expect(hosted()).toEqual([]);
  });

  /** Features used by hosted agents with stored data; each function calls the hosted provider. */
  const HOSTED: [string, () => Promise<unknown>][] = [
    [
      'chat',
      async () => {
        for (const id of [ids.craft, ids.vault]) {
          await chat(id, { message: `The merger, ${OPEN}?`, extraction: {} });
        }
      },
    ],
    [
      'addresses',
      async () => {
        for (const model of ['agent:craft', 'agent:vault', 'service-auto', 'gpt-test']) {
          for (const path of [CHAT, MESSAGES]) await ping(path, model, OPEN);
        }
      },
    ],
    [
      'a debate of the same conversation',
      () => {
        const content = { content: `And ${OPEN}?` };
        return ask(`POST ${CONVERSATION}/message`, { id: ids.conversation }, content);
      },
    ],
    [
      'a simulation of its own, to its report',
      async () => {
        const id = await simulate(OPEN, 1);
        await ask(`POST ${SIMULATION}/finalize`, { id });
      },
    ],
    [
      'a completion of no agent',
      () => {
        const messages = [{ role: 'user', content: `We plan ${OPEN}.` }];
        const extraction = { source: 'test', categories: ['plan'], persist: true };
        return ask('POST /v1/ai/complete', {}, { systemPrompt: OPEN, messages, extraction });
      },
    ],
    [
      'market analyses',
      async () => {
        await ask('POST /v1/market-analysis', {}, { query: OPEN });
        await ask('POST /v1/market-analysis/stream', {}, { query: OPEN });
      },
    ],
  ];

  it.each(HOSTED)('leaks nothing into %s', async (_name, play) => {
    const before = hosted().length;
    await play();
    const sent = hosted().slice(before);
    expect(sent.join('\n')).toContain(OPEN);
    expect(sent.filter((text) => text.includes(CANARY))).toEqual([]);
  });

  it('leaks nothing into its own simulation, which continues with hosted models', async () => {
    const before = hosted().length;
    await ask(`POST ${SIMULATION}/advance`, { id: ids.simulation });
    await ask(`POST ${SIMULATION}/finalize`, { id: ids.simulation });
    expect(hosted().slice(before)).toEqual([]);
  });

  it('gets all of its data back when it is local-only again', async () => {
    const before = hosted().length;
    const change = { model: 'service-sensitive' };
    const back = await ask(`PATCH ${AGENT}`, { id: ids.vault }, change, { method: 'PATCH' });
    expect(Object.keys(back as object)).toEqual(['agent']);
    await chat(ids.vault, { sessionId: ids.session, message: 'What was the merger called?' });
    expect(local.requests.at(-1)!.body.toString()).toContain(CANARY);
    expect(hosted().slice(before)).toEqual([]);
  });

  it('was tested with every operation that may call a model', async () => {
    const { json } = await client.send('/v1/openapi.json');
    const { paths } = json as { paths: Record<string, Record<string, { operationId: string }>> };
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId }]) =>
        operationId ? [{ operationId, operation: `${method.toUpperCase()} ${path}` }] : [],
      ),
    );
    const isNamed = ({ operationId }: { operationId: string }) => operationId in WITHOUT_MODEL;
    const missing = all.filter((one) => !isNamed(one) && !played.has(one.operation));
    expect(missing).toEqual([]);
    const known = new Set(all.map(({ operationId }) => operationId));
    expect(Object.keys(WITHOUT_MODEL).filter((id) => !known.has(id))).toEqual([]);
  });
});
