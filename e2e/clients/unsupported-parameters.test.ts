import Anthropic, { BadRequestError as MessagesBadRequest } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { BadRequestError as ChatBadRequest } from 'openai';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import { sendModelOutput } from './send-model-output.ts';

const GPT_MODEL = 'gpt-4.1';
const CLAUDE_MODEL = 'claude-sonnet-5-5';
const messages = [{ role: 'user' as const, content: 'Hello?' }];
const DROPPED_HEADER = 'x-service-dropped-params';

describe('parameters that the other dialect cannot express', () => {
  let setup: ClientSetup;
  let openai: OpenAI;
  let anthropic: Anthropic;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
    const { baseUrl, apiKey } = setup.fixture.system;
    const { fetch } = setup.recorder;
    openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, fetch, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: baseUrl, apiKey, fetch, maxRetries: 0 });
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  const expectRefused = async (call: Promise<unknown>): Promise<unknown> => {
    const callsBefore = setup.fixture.calls().length;
    const error = await call.then(
      () => undefined,
      (caught: unknown) => caught,
    );
    expect(setup.fixture.calls()).toHaveLength(callsBefore);
    return error;
  };

  it('are named in a header if they only tune the answer: openai', async () => {
    setup.script(sendModelOutput('messages', { text: ['Hi.'] }));
    const tuningParameters = {
      seed: 7,
      logit_bias: { '50256': -100 },
      presence_penalty: 0.5,
      stop: 'END',
    };
    const call = openai.chat.completions.create({
      model: CLAUDE_MODEL,
      messages,
      ...tuningParameters,
    });
    const { response } = await call.withResponse();
    expect(response.headers.get(DROPPED_HEADER)).toBe('logit_bias, presence_penalty, seed');
    expect(setup.lastRequest().parsed).toEqual({
      model: CLAUDE_MODEL,
      max_tokens: expect.any(Number),
      messages,
      stop_sequences: ['END'],
    });
  });

  it('are named in a header if they only tune the answer: @anthropic-ai/sdk', async () => {
    setup.script(sendModelOutput('chat-completions', { text: ['Hi.'] }));
    const systemBlock = {
      type: 'text' as const,
      text: 'Be brief.',
      cache_control: { type: 'ephemeral' as const },
    };
    const call = anthropic.messages.create({
      model: GPT_MODEL,
      max_tokens: 100,
      system: [systemBlock],
      service_tier: 'auto',
      stop_sequences: ['END'],
      messages,
    });
    const { response } = await call.withResponse();
    expect(response.headers.get(DROPPED_HEADER)).toBe('service_tier, system[].cache_control');
    expect(setup.lastRequest().parsed).toEqual({
      model: GPT_MODEL,
      max_completion_tokens: 100,
      messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
      stop: ['END'],
    });
  });

  it('are not named if all were translated', async () => {
    setup.script(sendModelOutput('messages', { text: ['Hi.'] }));
    const call = openai.chat.completions.create({ model: CLAUDE_MODEL, messages, max_tokens: 10 });
    const { response } = await call.withResponse();
    expect(response.headers.has(DROPPED_HEADER)).toBe(false);
  });

  it.each([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['modalities', { modalities: ['text' as const, 'audio' as const] }],
    ['web_search_options', { web_search_options: {} }],
  ])('are refused if they change the kind of answer: %s', async (param, parameters) => {
    const call = openai.chat.completions.create({ model: CLAUDE_MODEL, messages, ...parameters });
    const error = await expectRefused(call);
    expect(error).toBeInstanceOf(ChatBadRequest);
    expect(error).toMatchObject({ param, code: 'unsupported_parameter' });
  });

  it.each([
    [
      'tools[0].type',
      { tools: [{ type: 'web_search_20250305' as const, name: 'web_search' as const }] },
    ],
    ['container', { container: 'container_1' }],
  ])('are refused if they change the kind of answer: %s', async (param, parameters) => {
    const call = anthropic.messages.create({
      model: GPT_MODEL,
      max_tokens: 9,
      messages,
      ...parameters,
    });
    const error = await expectRefused(call);
    expect(error).toBeInstanceOf(MessagesBadRequest);
    expect(error).toMatchObject({ apiMessage: expect.stringContaining(param) });
  });
});
