import Anthropic, { BadRequestError as MessagesBadRequest } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { BadRequestError as ChatBadRequest } from 'openai';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import { sendSpeech } from './send-speech.ts';

const GPT = 'gpt-4.1';
const CLAUDE = 'claude-sonnet-5-5';
const messages = [{ role: 'user' as const, content: 'Hello?' }];
const DROPPED = 'x-service-dropped-params';

describe('parameters that the other dialect cannot express', () => {
  let bench: Bench;
  let openai: OpenAI;
  let anthropic: Anthropic;

  beforeAll(async () => {
    bench = await openBench('in-process');
    const { baseUrl, apiKey } = bench.fixture.system;
    const { fetch } = bench.wire;
    openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, fetch, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: baseUrl, apiKey, fetch, maxRetries: 0 });
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const failureOf = async (call: Promise<unknown>): Promise<unknown> => {
    const asked = bench.fixture.calls().length;
    const error = await call.then(
      () => undefined,
      (caught: unknown) => caught,
    );
    expect(bench.fixture.calls()).toHaveLength(asked);
    return error;
  };

  it('are named in a header if they only tune the answer: openai', async () => {
    bench.script(sendSpeech('messages', { text: ['Hi.'] }));
    const tuned = { seed: 7, logit_bias: { '50256': -100 }, presence_penalty: 0.5, stop: 'END' };
    const call = openai.chat.completions.create({ model: CLAUDE, messages, ...tuned });
    const { response } = await call.withResponse();
    expect(response.headers.get(DROPPED)).toBe('logit_bias, presence_penalty, seed');
    expect(bench.lastRequest().parsed).toEqual({
      model: CLAUDE,
      max_tokens: expect.any(Number),
      messages,
      stop_sequences: ['END'],
    });
  });

  it('are named in a header if they only tune the answer: @anthropic-ai/sdk', async () => {
    bench.script(sendSpeech('chat-completions', { text: ['Hi.'] }));
    const block = {
      type: 'text' as const,
      text: 'Be brief.',
      cache_control: { type: 'ephemeral' as const },
    };
    const call = anthropic.messages.create({
      model: GPT,
      max_tokens: 100,
      system: [block],
      service_tier: 'auto',
      stop_sequences: ['END'],
      messages,
    });
    const { response } = await call.withResponse();
    expect(response.headers.get(DROPPED)).toBe('service_tier, system[].cache_control');
    expect(bench.lastRequest().parsed).toEqual({
      model: GPT,
      max_completion_tokens: 100,
      messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
      stop: ['END'],
    });
  });

  it('are not named if all were translated', async () => {
    bench.script(sendSpeech('messages', { text: ['Hi.'] }));
    const call = openai.chat.completions.create({ model: CLAUDE, messages, max_tokens: 10 });
    const { response } = await call.withResponse();
    expect(response.headers.has(DROPPED)).toBe(false);
  });

  it.each([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['modalities', { modalities: ['text' as const, 'audio' as const] }],
    ['web_search_options', { web_search_options: {} }],
  ])('are refused if they change the kind of answer: %s', async (param, fields) => {
    const call = openai.chat.completions.create({ model: CLAUDE, messages, ...fields });
    const error = await failureOf(call);
    expect(error).toBeInstanceOf(ChatBadRequest);
    expect(error).toMatchObject({ param, code: 'unsupported_parameter' });
  });

  it.each([
    [
      'tools[0].type',
      { tools: [{ type: 'web_search_20250305' as const, name: 'web_search' as const }] },
    ],
    ['container', { container: 'container_1' }],
  ])('are refused if they change the kind of answer: %s', async (param, fields) => {
    const call = anthropic.messages.create({ model: GPT, max_tokens: 9, messages, ...fields });
    const error = await failureOf(call);
    expect(error).toBeInstanceOf(MessagesBadRequest);
    expect(error).toMatchObject({ apiMessage: expect.stringContaining(param) });
  });
});
