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
const ALL_CANARIES = Object.values(CANARIES);

const PERSONA = {
  name: 'Ann',
  role: CANARIES.role,
  systemPrompt: `You keep ${CANARIES.prompt} to yourself.`,
  mission: CANARIES.mission,
};
const CHAT_BODY = {
  message: `Well, ${CANARIES.message}?`,
  context: [{ category: 'mail', label: CANARIES.label, data: { body: CANARIES.context } }],
  options: { reflection: true },
};
const JSON_FORMAT = {
  responseFormat: { type: 'json', fields: { [CANARIES.field]: CANARIES.field } },
};

const { thought, answer, tag, fact } = CANARIES;
const ANSWER = `<thinking>${thought}</thinking>${answer} <MEMORY key="k" type="fact">${tag}</MEMORY>`;
const FACTS_JSON = JSON.stringify({
  facts: [{ category: 'goal', key: fact, value: fact, confidence: 1 }],
});

/**
 * Returns a script that fails with `status` and an error that contains all canaries, because
 * providers often quote the request in their errors.
 */
const failWithCanaries = (status: number): Script => {
  const message = `cannot work with ${ALL_CANARIES.join(', ')}`;
  const error = { message, type: message, param: message, code: message };
  const headers = { 'content-type': 'application/json', 'x-request-id': message };
  return respondWith({ status, headers, body: JSON.stringify({ error }) });
};

/** Maximum number of model calls for one client call: an answer, a retry, and fact extraction. */
const MODEL_CALLS_MAX = 3;

/** Model responses of every kind: complete, empty, invalid, cut off and refused. */
const SCRIPTS: [name: string, script: Script][] = [
  ['an answer', answerWith({ content: ANSWER })],
  ['an answer in pieces', answerWith({ content: Array.from(ANSWER) })],
  ['facts', answerWith({ content: FACTS_JSON })],
  ['thoughts without an answer', answerWith({ content: `<thinking>${thought}` })],
  ['an empty answer', answerWith({ content: '' })],
  ['invalid JSON', answerWith({ content: `{"${answer}": [${thought}` })],
  ['truncated JSON', answerWith({ content: `{"a": ["${answer}"`, finishReason: 'length' })],
  ['a body that is not JSON', respondWith({ body: `${answer} is no JSON` })],
  ['a truncated body', cutMidBody(toChatCompletion({ content: ANSWER }), 200)],
  [
    'a truncated stream',
    streamFrames(toChatChunks({ content: [ANSWER, ANSWER] }), { cutAfter: 2 }),
  ],
  [
    'a stream of invalid frames',
    streamFrames([`data: {"broken":"${answer}\n\n`, `data: ${answer}\n\n`]),
  ],
  ...[400, 401, 403, 413, 429, 500].map((status): [string, Script] => [
    `a refusal with ${status}`,
    failWithCanaries(status),
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

  const findCanaries = (text: string): string[] => {
    const lowerText = text.toLowerCase();
    return ALL_CANARIES.filter((one) => lowerText.includes(one.toLowerCase()));
  };
  const send = async (path: string, body: object, more: object = {}): Promise<void> => {
    const headers = { 'x-api-key': fixture.system.apiKey, ...more };
    await fixture.client.send(path, { body, headers });
  };
  const sendScripted = async (script: Script, ...call: Parameters<typeof send>): Promise<void> => {
    const { provider } = fixture;
    const before = provider.requests.length;
    for (let count = 0; count < MODEL_CALLS_MAX; count += 1) provider.script(script);
    await send(...call);
    // Consumes the scripts that the call did not use, so that they do not answer the next call.
    while (provider.requests.length < before + MODEL_CALLS_MAX) {
      const url = `${provider.baseUrl}/chat/completions`;
      const unusedResponse = await fetch(url, { method: 'POST', body: '{}' }).catch(
        () => undefined,
      );
      await unusedResponse?.arrayBuffer().catch(() => {}); // The script may cut the response off.
    }
  };
  const chatPath = (): string => `/v1/agents/${agentId}/chat`;

  it('reach the model', async () => {
    fixture.provider.script(answerWith({ content: '{}' }));
    const { supplement } = CANARIES;
    await send(chatPath(), { ...CHAT_BODY, ...JSON_FORMAT });
    const sent = fixture.calls().at(-1)!.body.toString();
    const { prompt, role, mission, memory, memoryKey, message, context, label, field } = CANARIES;
    expect(findCanaries(sent)).toEqual([
      ...[prompt, role, mission, memory, memoryKey, message, context, label, field],
    ]);
    expect(findCanaries(`a line with ${supplement}`)).toEqual([supplement]);
  });

  it.each(SCRIPTS)('are in no log line when a model returns %s', async (_name, script) => {
    const bodies = [CHAT_BODY, { ...CHAT_BODY, ...JSON_FORMAT }, { ...CHAT_BODY, extraction: {} }];
    for (const body of bodies) {
      for (const accept of ['application/json', 'text/event-stream']) {
        await sendScripted(script, chatPath(), body, { accept });
      }
    }
    const messages = [
      { role: 'system', content: CANARIES.context },
      { role: 'user', content: CANARIES.message },
    ];
    for (const stream of [false, true]) {
      for (const path of ['/v1/chat/completions', '/v1/messages']) {
        const dialectMessages = path === '/v1/messages' ? messages.slice(1) : messages;
        const body = { model: 'agent:ann', max_tokens: 200, messages: dialectMessages, stream };
        await sendScripted(script, path, body);
      }
    }
    await sendScripted(script, '/v1/ai/complete', {
      systemPrompt: CANARIES.prompt,
      messages: messages.slice(1),
      json: true,
      supplementary: [{ category: 'kpi', data: CANARIES.supplement }],
      extraction: { source: 'crm', categories: ['goal'], persist: true },
    });
    expect(fixture.system.logLines.flatMap(findCanaries)).toEqual([]);
  });

  it('are in no log line when the request is refused', async () => {
    const expectRefused = async (...[path, body]: Parameters<typeof send>): Promise<void> => {
      const calls = fixture.calls().length;
      await send(path, body);
      expect(fixture.calls()).toHaveLength(calls);
    };
    const longPrompt = `${CANARIES.prompt} `.repeat(2_000);
    await expectRefused('/v1/agents', { ...PERSONA, systemPrompt: longPrompt });
    await expectRefused('/v1/agents', PERSONA);
    await expectRefused(chatPath(), { ...CHAT_BODY, message: [CANARIES.message] });
    await expectRefused(chatPath(), {
      ...CHAT_BODY,
      context: Array(33).fill(CHAT_BODY.context[0]),
    });
    await expectRefused(`/v1/agents/${agentId}/memory`, { key: '!', value: CANARIES.memory });
    await expectRefused(`/v1/agents/${agentId}/memory`, { key: CANARIES.memoryKey, value: 7 });
    await expectRefused('/v1/ai/complete', {
      systemPrompt: CANARIES.prompt,
      messages: CANARIES.message,
    });
    expect(fixture.system.logLines.flatMap(findCanaries)).toEqual([]);
  });

  it('are in no log line at debug level', () => {
    const levels = new Set(
      fixture.system.logLines.map((text) => (JSON.parse(text) as { level: string }).level),
    );
    expect([...levels].toSorted()).toEqual(expect.arrayContaining(['debug', 'info', 'warn']));
  });
});
