import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  answerWith,
  cutMidBody,
  respondWith,
  streamFrames,
  toChatChunks,
  toChatCompletion,
} from '@witan/testing';
import type { Script } from '@witan/testing';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

/**
 * Each part of a prompt or an answer contains a different canary, so that a leak shows its source.
 */
const CANARIES = {
  prompt: 'canaryOfThePrompt3b71',
  role: 'canaryOfTheRole55c0',
  mission: 'canaryOfTheMission902e',
  memory: 'canaryOfTheMemoryd41a',
  memoryKey: 'canaryofthekey77',
  message: 'canaryOfTheMessage18f3',
  context: 'canaryOfTheContext6e2d',
  label: 'canaryOfTheLabel0a9b',
  field: 'canaryOfTheField4c4c',
  thought: 'canaryOfTheThought2f10',
  answer: 'canaryOfTheAnswerb8d6',
  tag: 'canaryOfTheTag93e7',
  fact: 'canaryOfTheFact1d5f',
  supplement: 'canaryOfTheSupplementa0c2',
} as const;
const ALL = Object.values(CANARIES);

const PERSONA = {
  name: 'Ann',
  role: CANARIES.role,
  systemPrompt: `You keep ${CANARIES.prompt} to yourself.`,
  mission: CANARIES.mission,
};
const CHAT = {
  message: `Well, ${CANARIES.message}?`,
  context: [{ category: 'mail', label: CANARIES.label, data: { body: CANARIES.context } }],
  options: { reflection: true },
};
const FIELDS = { responseFormat: { type: 'json', fields: { [CANARIES.field]: CANARIES.field } } };

const { thought, answer, tag, fact } = CANARIES;
const ANSWER = `<thinking>${thought}</thinking>${answer} <MEMORY key="k" type="fact">${tag}</MEMORY>`;
const FACTS = JSON.stringify({
  facts: [{ category: 'goal', key: fact, value: fact, confidence: 1 }],
});

/** Returns a script that quotes the request in its error, as providers often do. */
const quoting = (status: number): Script => {
  const words = `cannot work with ${ALL.join(', ')}`;
  const error = { message: words, type: words, param: words, code: words };
  const headers = { 'content-type': 'application/json', 'x-request-id': words };
  return respondWith({ status, headers, body: JSON.stringify({ error }) });
};

/** Maximum number of model calls for one client call: an answer, a retry, and fact extraction. */
const CALLS_MAX = 3;

/** Ways in which a model's answer can arrive, fail or be empty. */
const SCRIPTS: [name: string, script: Script][] = [
  ['an answer', answerWith({ content: ANSWER })],
  ['an answer in pieces', answerWith({ content: Array.from(ANSWER) })],
  ['facts', answerWith({ content: FACTS })],
  ['thoughts alone', answerWith({ content: `<thinking>${thought}` })],
  ['nothing', answerWith({ content: '' })],
  ['broken JSON', answerWith({ content: `{"${answer}": [${thought}` })],
  ['JSON cut off', answerWith({ content: `{"a": ["${answer}"`, finishReason: 'length' })],
  ['no answer at all', respondWith({ body: `${answer} is no JSON` })],
  ['a body cut off', cutMidBody(toChatCompletion({ content: ANSWER }), 200)],
  ['a stream cut off', streamFrames(toChatChunks({ content: [ANSWER, ANSWER] }), { cutAfter: 2 })],
  ['a stream of junk', streamFrames([`data: {"broken":"${answer}\n\n`, `data: ${answer}\n\n`])],
  ...[400, 401, 403, 413, 429, 500].map((status): [string, Script] => [
    `a refusal with ${status}`,
    quoting(status),
  ]),
];

describe.each(TRANSPORTS)('prompts and answers of an agent, services over %s', (transport) => {
  let fixture: Fixture;
  let agentId: string;

  beforeAll(async () => {
    const env = { WITAN_MODEL_FULL: 'gpt-full', WITAN_MODEL_SMALL: 'gpt-small' };
    fixture = await openFixture({ transport, env });
    const { json } = await fixture.client.send('/v1/agents', { body: PERSONA });
    agentId = (json as { agent: { id: string } }).agent.id;
    const body = { key: CANARIES.memoryKey, value: CANARIES.memory };
    await fixture.client.send(`/v1/agents/${agentId}/memory`, { body });
  });
  afterAll(async () => fixture[Symbol.asyncDispose]());

  const foundIn = (text: string): string[] => {
    const lower = text.toLowerCase();
    return ALL.filter((one) => lower.includes(one.toLowerCase()));
  };
  const send = async (path: string, body: object, more: object = {}): Promise<void> => {
    const headers = { 'x-api-key': fixture.system.apiKey, ...more };
    await fixture.client.send(path, { body, headers });
  };
  const sendAnswered = async (script: Script, ...call: Parameters<typeof send>): Promise<void> => {
    const { provider } = fixture;
    const before = provider.requests.length;
    for (let count = 0; count < CALLS_MAX; count += 1) provider.script(script);
    await send(...call);
    // Consumes the scripts that the call did not use, so that the next call gets its own.
    while (provider.requests.length < before + CALLS_MAX) {
      const url = `${provider.baseUrl}/chat/completions`;
      const left = await fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined);
      await left?.arrayBuffer().catch(() => {}); // The stream may be cut off.
    }
  };
  const chatPath = (): string => `/v1/agents/${agentId}/chat`;

  it('reach the model: the canaries work', async () => {
    fixture.provider.script(answerWith({ content: '{}' }));
    const { supplement } = CANARIES;
    await send(chatPath(), { ...CHAT, ...FIELDS });
    const sent = fixture.calls().at(-1)!.body.toString();
    const { prompt, role, mission, memory, memoryKey, message, context, label, field } = CANARIES;
    expect(foundIn(sent)).toEqual([
      ...[prompt, role, mission, memory, memoryKey, message, context, label, field],
    ]);
    expect(foundIn(`a line with ${supplement}`)).toEqual([supplement]);
  });

  it.each(SCRIPTS)('are in no log line when a model returns %s', async (_name, script) => {
    const bodies = [CHAT, { ...CHAT, ...FIELDS }, { ...CHAT, extraction: {} }];
    for (const body of bodies) {
      for (const accept of ['application/json', 'text/event-stream']) {
        await sendAnswered(script, chatPath(), body, { accept });
      }
    }
    const messages = [
      { role: 'system', content: CANARIES.context },
      { role: 'user', content: CANARIES.message },
    ];
    for (const stream of [false, true]) {
      for (const path of ['/v1/chat/completions', '/v1/messages']) {
        const turns = path === '/v1/messages' ? messages.slice(1) : messages;
        const body = { model: 'agent:ann', max_tokens: 200, messages: turns, stream };
        await sendAnswered(script, path, body);
      }
    }
    await sendAnswered(script, '/v1/ai/complete', {
      systemPrompt: CANARIES.prompt,
      messages: messages.slice(1),
      json: true,
      supplementary: [{ category: 'kpi', data: CANARIES.supplement }],
      extraction: { source: 'crm', categories: ['goal'], persist: true },
    });
    expect(fixture.system.logLines.flatMap(foundIn)).toEqual([]);
  });

  it('are in no log line when the request is refused', async () => {
    const refuse = async (...[path, body]: Parameters<typeof send>): Promise<void> => {
      const calls = fixture.calls().length;
      await send(path, body);
      expect(fixture.calls()).toHaveLength(calls);
    };
    const long = `${CANARIES.prompt} `.repeat(2_000);
    await refuse('/v1/agents', { ...PERSONA, systemPrompt: long });
    await refuse('/v1/agents', PERSONA);
    await refuse(chatPath(), { ...CHAT, message: [CANARIES.message] });
    await refuse(chatPath(), { ...CHAT, context: Array(33).fill(CHAT.context[0]) });
    await refuse(`/v1/agents/${agentId}/memory`, { key: '!', value: CANARIES.memory });
    await refuse(`/v1/agents/${agentId}/memory`, { key: CANARIES.memoryKey, value: 7 });
    await refuse('/v1/ai/complete', { systemPrompt: CANARIES.prompt, messages: CANARIES.message });
    expect(fixture.system.logLines.flatMap(foundIn)).toEqual([]);
  });

  it('are in no log line at debug level', () => {
    const levels = new Set(
      fixture.system.logLines.map((text) => (JSON.parse(text) as { level: string }).level),
    );
    expect([...levels].toSorted()).toEqual(expect.arrayContaining(['debug', 'info', 'warn']));
  });
});
