import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import { verifyResponse } from '@witan/proof';
import { answerMessageWith, answerWith, openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider, Script } from '@witan/testing';
import OpenAI from 'openai';
import { createExpectDocumented } from './expect-documented.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, HttpClient } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys, CreatedKey } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const MAIL = 'ingrid.solberg@fjordbank.no';
const NAME = 'Ingrid Solberg';
const PHONE = '+47 22 93 12 45';
const IBAN = 'GB33 BUKB 2020 1555 5555 55';
const CARD = 4_111_111_111_111_111;
const VALUES = [MAIL, NAME, PHONE];
const ASK = `My name is ${NAME}. Mail me at ${MAIL} or call ${PHONE}, please.`;
const messages = [{ role: 'user' as const, content: ASK }];
const HELLO = { role: 'user' as const, content: 'Hello.' };
const LOCAL_MODEL = 'llama-local';

const PLACEHOLDER = /\[\[[A-Z_]+_[A-Z2-7]{6}(?:_\d+)?\]\]/g;
const placeholdersIn = (body: Uint8Array): string[] => [
  ...new Set(Buffer.from(body).toString().match(PLACEHOLDER)),
];
/**
 * Returns the characters of a text as separate pieces, so that a stream splits every placeholder.
 */
const toCharacters = (text: string): string[] => [...text];

/**
 * Answers with the placeholders of the request, both in text and in the arguments of a tool call.
 */
const echoChat: Script = async (exchange) => {
  const found = placeholdersIn(exchange.request.body);
  const called = { name: 'send', arguments: JSON.stringify({ to: found }) };
  const content = toCharacters(`To ${found.join(' and ')}.`);
  await answerWith({ content, toolCalls: [called] })(exchange);
};
const echoMessage: Script = async (exchange) => {
  const found = placeholdersIn(exchange.request.body);
  await answerMessageWith({
    blocks: [
      { type: 'thinking', thinking: `Of ${found[0]}.`, signature: 'c2ln' },
      { type: 'text', text: toCharacters(`To ${found.join(' and ')}.`) },
      {
        type: 'tool_use',
        id: 'toolu_a',
        name: 'send',
        input: toCharacters(JSON.stringify({ to: found })),
      },
    ],
  })(exchange);
};

/**
 * Returns JSON texts that contain the placeholder of the e-mail address as a key and that of the
 * card number as a value.
 */
const toJsonWithPlaceholders = (body: Uint8Array): { content: string; input: string } => {
  const found = placeholdersIn(body);
  const mail = found.find((one) => one.includes('EMAIL'))!;
  const card = found.find((one) => one.includes('CREDIT_CARD'))!;
  return {
    content: JSON.stringify({ [mail]: card }),
    input: JSON.stringify({ card, of: { [mail]: 1 } }),
  };
};
const answerJsonInChat: Script = async (exchange) => {
  const { content, input } = toJsonWithPlaceholders(exchange.request.body);
  const toolCalls = [{ name: 'pay', arguments: input }];
  await answerWith({ content: toCharacters(content), toolCalls })(exchange);
};
const answerJsonInMessages: Script = async (exchange) => {
  const { content, input } = toJsonWithPlaceholders(exchange.request.body);
  await answerMessageWith({
    blocks: [
      { type: 'text', text: toCharacters(content) },
      { type: 'tool_use', id: 'toolu_a', name: 'pay', input: toCharacters(input) },
    ],
  })(exchange);
};

describe.each(TRANSPORTS)('personal data, services over %s', (transport) => {
  let local: ScriptedProvider;
  let fixture: Fixture;
  let keys: Keys;
  let key: CreatedKey;
  let client: HttpClient;

  beforeAll(async () => {
    local = await openScriptedProvider({ models: [LOCAL_MODEL] });
    fixture = await openFixture({ transport });
    keys = await openKeys(fixture.system);
  });
  beforeEach(async () => {
    key = await keys.makeKey();
    client = createHttpClient(key);
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
    await local[Symbol.asyncDispose]();
  });

  const lastSent = (): string => Buffer.from(fixture.provider.requests.at(-1)!.body).toString();
  const putPrivacy = async (privacy: object): Promise<void> => {
    const { status } = await client.send('/v1/workspace', { method: 'PUT', body: { privacy } });
    expect(status).toBe(200);
  };
  /** Verifies that the certificate commits to the response; returns its counts of masked values. */
  const verifiedPiiOf = async (answer: Answer): Promise<unknown> => {
    const { payload } = await client.certificateOf(answer);
    verifyResponse(payload, answer.bytes);
    return payload.egress.pii;
  };

  it('is masked for the openai client, and restored in the answer', async () => {
    const openai = new OpenAI({ baseURL: `${key.baseUrl}/v1`, apiKey: key.apiKey });
    for (const [model, script] of [
      ['gpt-test', echoChat],
      ['claude-test', echoMessage],
    ] as const) {
      fixture.provider.script(script);
      const stream = openai.chat.completions.stream({ model, messages });
      const { message } = (await stream.finalChatCompletion()).choices[0]!;
      for (const value of VALUES) expect(lastSent()).not.toContain(value);
      expect(message.content).toBe(`To ${NAME} and ${MAIL} and ${PHONE}.`);
      const [call] = message.tool_calls as { function: { arguments: string } }[];
      expect(JSON.parse(call!.function.arguments)).toEqual({ to: [NAME, MAIL, PHONE] });
    }
  });

  it('is masked for the anthropic client; the thinking signature stays valid', async () => {
    const anthropic = new Anthropic({ baseURL: key.baseUrl, apiKey: key.apiKey });
    const signedReasoning = {
      thinking: expect.stringMatching(/^Of \[\[PERSON_/),
      signature: 'c2ln',
    };
    for (const [model, script, thinking] of [
      ['claude-test', echoMessage, [expect.objectContaining(signedReasoning)]],
      ['gpt-test', echoChat, []],
    ] as const) {
      fixture.provider.script(script);
      const stream = anthropic.messages.stream({ model, messages, max_tokens: 100 });
      const { content } = await stream.finalMessage();
      for (const value of VALUES) expect(lastSent()).not.toContain(value);
      expect(content.find(({ type }) => type === 'text')).toMatchObject({
        text: `To ${NAME} and ${MAIL} and ${PHONE}.`,
      });
      expect(content.find(({ type }) => type === 'tool_use')).toMatchObject({
        input: { to: [NAME, MAIL, PHONE] },
      });
      expect(content.filter(({ type }) => type === 'thinking')).toEqual(thinking);
    }
  });

  it('is masked in keys and numbers of JSON, and restored in them', async () => {
    const openai = new OpenAI({ baseURL: `${key.baseUrl}/v1`, apiKey: key.apiKey });
    const paid = JSON.stringify({ [MAIL]: 'paid', cards: [CARD] });
    const payment = JSON.stringify({ card: CARD, of: { [MAIL]: 1 } });
    const call = { id: 'call_a', type: 'function' as const };
    const jsonMessages = [
      { role: 'user' as const, name: 'ingrid_solberg', content: paid },
      {
        role: 'assistant' as const,
        tool_calls: [{ ...call, function: { name: 'pay', arguments: payment } }],
      },
      { role: 'tool' as const, tool_call_id: 'call_a', content: paid },
      { role: 'user' as const, content: `I am ${NAME}. Pay it again.` },
    ];
    for (const [model, script] of [
      ['gpt-test', answerJsonInChat],
      ['claude-test', answerJsonInMessages],
    ] as const) {
      fixture.provider.script(script);
      const stream = openai.chat.completions.stream({ model, messages: jsonMessages });
      const { message } = (await stream.finalChatCompletion()).choices[0]!;
      for (const value of [MAIL, NAME, `${CARD}`, 'ingrid'])
        expect(lastSent()).not.toContain(value);
      expect(message.content).toBe(`{"${MAIL}":${CARD}}`);
      const [toolCall] = message.tool_calls as { function: { arguments: string } }[];
      expect(toolCall!.function.arguments).toBe(payment);
    }
    const { messages: sent } = fixture.calls().at(-2)!.parsed as { messages: { name?: string }[] };
    expect(sent[0]!.name).toMatch(/^person_[a-z2-7]{6}(?:_2)?$/);
  });

  it('is counted in the certificate by category', async () => {
    fixture.provider.script(echoChat);
    const answer = await client.complete({ model: 'gpt-test', messages });
    expect(await verifiedPiiOf(answer)).toEqual({
      masked: 3,
      categories: ['EMAIL', 'PERSON', 'PHONE'],
    });
    fixture.provider.script(answerWith());
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const media = await client.complete({
      model: 'gpt-test',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] }],
    });
    expect(await verifiedPiiOf(media)).toEqual({ masked: 0, categories: [], uninspected: 1 });
    const proof = await client.send(`/v1/proofs/${media.headers.get('x-service-proof')}`);
    (await createExpectDocumented(client))(proof, 'GET /v1/proofs/{id}');
    fixture.provider.script(answerWith());
    const parameters = { type: 'object', properties: { to: { enum: [MAIL] } } };
    const tools = [{ type: 'function', function: { name: 'send', parameters } }];
    const left = await client.complete({ model: 'gpt-test', messages: [HELLO], tools });
    expect(await verifiedPiiOf(left)).toEqual({ masked: 0, categories: [], uninspected: 1 });
  });

  it('is defined by the settings of the workspace', async () => {
    const text = `${MAIL} asks about project Falcon, case PT-20341, in Oslo.`;
    const ask = async (): Promise<unknown> => {
      fixture.provider.script(answerWith());
      const content = [{ role: 'user', content: text }];
      return verifiedPiiOf(await client.complete({ model: 'gpt-test', messages: content }));
    };
    expect(await ask()).toEqual({ masked: 1, categories: ['EMAIL'] });
    await putPrivacy({
      terms: [{ text: 'falcon', category: 'ORG' }],
      patterns: [{ pattern: '\\bPT-\\d{5}\\b', category: 'NATIONAL_ID' }],
    });
    expect(await ask()).toEqual({ masked: 3, categories: ['EMAIL', 'NATIONAL_ID', 'ORG'] });
    expect(lastSent()).toMatch(/Oslo/);
    await putPrivacy({ categories: ['LOCATION'] });
    expect(await ask()).toEqual({ masked: 1, categories: ['LOCATION'] });
    expect(lastSent()).toContain(MAIL);
    await putPrivacy({ categories: [] });
    expect(await ask()).toEqual({ masked: 0, categories: [] });
    await putPrivacy({});
    expect(await ask()).toEqual({ masked: 1, categories: ['EMAIL'] });
  });

  it('gets the same placeholder in every call, so that prompt caches hit', async () => {
    const sent: string[] = [];
    for (let call = 0; call < 2; call += 1) {
      fixture.provider.script(answerWith());
      await client.complete({ model: 'gpt-test', messages });
      sent.push(lastSent());
    }
    expect(sent[0]).toBe(sent[1]);
  });

  it('is masked for the offline provider in development, which may receive it', async () => {
    const content = `Repeat: ${MAIL}`;
    const body = { model: 'service-auto', messages: [{ role: 'user', content }] };
    await using dev = await openFixture({
      transport,
      env: { WITAN_DEFAULT_PROVIDER: 'offline', OPENAI_API_KEY: undefined } as never,
    });
    const answer = await dev.client.complete(body);
    const { payload } = await dev.client.certificateOf(answer);
    expect(payload.egress).toMatchObject({
      provider: 'offline',
      pii: { masked: 1, categories: ['EMAIL'] },
    });
  });

  describe('of high sensitivity', () => {
    const sensitive = {
      model: 'service-auto',
      messages: [{ role: 'user', content: `Pay it from ${IBAN}.` }],
    };

    it('stays on the machine if a local runtime is configured', async () => {
      const env = { LOCAL_BASE_URL: local.baseUrl, LOCAL_MODEL };
      await using own = await openFixture({ transport, env });
      const answer = await own.client.complete(sensitive);
      const { payload } = await own.client.certificateOf(answer);
      expect(payload).toMatchObject({
        egress: { provider: 'local', pii: { masked: 0, categories: [] } },
        routing: { reason: 'sensitive_local' },
      });
      expect(own.calls()).toEqual([]);
      expect(Buffer.from(local.requests.at(-1)!.body).toString()).toContain(IBAN);
    });

    it('is masked otherwise, and the certificate records it', async () => {
      await using hosted = await openFixture({ transport, env: { WITAN_ENV: 'production' } });
      hosted.provider.script(echoChat);
      const answer = await hosted.client.complete(sensitive);
      const { payload } = await hosted.client.certificateOf(answer);
      expect(payload).toMatchObject({
        egress: { pii: { masked: 1, categories: ['IBAN'] } },
        routing: { reason: 'sensitive_masked_no_local' },
      });
      expect(JSON.stringify(answer.json)).toContain(IBAN);
      expect(Buffer.from(hosted.calls()[0]!.body).toString()).not.toContain('BUKB');
    });
  });
});
