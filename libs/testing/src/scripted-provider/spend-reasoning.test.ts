import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI, { BadRequestError } from 'openai';
import { answerWith } from './answer-scripts.ts';
import { openScriptedProvider, type ScriptedProvider } from './open-scripted-provider.ts';

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;

const messages = [{ role: 'user' as const, content: 'ping' }];
const ANSWER = 'word'.repeat(120);

describe('a scripted reasoning model', () => {
  let provider: ScriptedProvider;
  let client: OpenAI;

  beforeEach(async () => {
    provider = await openScriptedProvider({ fallback: answerWith({ content: ANSWER }) });
    client = new OpenAI({ apiKey: 'sk-scripted', baseURL: provider.baseUrl, maxRetries: 0 });
  });
  afterEach(async () => {
    await provider[Symbol.asyncDispose]();
  });

  it.each<[string, Partial<Body>, number, number, string]>([
    ['spends 1,408 reasoning tokens first', { model: 'gpt-5' }, 1_408, 120, 'stop'],
    ['spends 700 if it is a small model', { model: 'gpt-5-mini' }, 700, 120, 'stop'],
    ['spends less at a low effort', { model: 'gpt-5', reasoning_effort: 'low' }, 352, 120, 'stop'],
    ['spends none at minimal effort', { model: 'o3', reasoning_effort: 'minimal' }, 0, 120, 'stop'],
    [
      'is truncated in the middle of the answer',
      { model: 'gpt-5', max_completion_tokens: 1_500 },
      1_408,
      92,
      'length',
    ],
    [
      'is truncated before any answer',
      { model: 'gpt-5', max_completion_tokens: 300 },
      300,
      0,
      'length',
    ],
  ])('%s', async (_name, body, reasoning, answerTokens, finishReason) => {
    const answer = await client.chat.completions.create({ messages, model: '', ...body });
    const [choice] = answer.choices;
    expect(choice).toMatchObject({
      message: { content: 'word'.repeat(answerTokens) },
      finish_reason: finishReason,
    });
    expect(answer.usage).toEqual({
      prompt_tokens: 3,
      completion_tokens: reasoning + answerTokens,
      total_tokens: 3 + reasoning + answerTokens,
      completion_tokens_details: { reasoning_tokens: reasoning },
    });
  });

  it.each([{ temperature: 0.2 }, { top_p: 0.5 }, { max_tokens: 100 }])(
    'rejects %j',
    async (parameters) => {
      const requested = client.chat.completions.create({ messages, model: 'gpt-5', ...parameters });
      const error: unknown = await requested.catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error).toMatchObject({
        param: Object.keys(parameters)[0],
        code: 'unsupported_parameter',
      });
    },
  );

  it.each(['gpt-4.1', 'gpt-5-chat-latest'])('is not emulated for %s', async (model) => {
    const sampling = { temperature: 0.2, max_tokens: 10 };
    const answer = await client.chat.completions.create({ messages, model, ...sampling });
    expect(answer.choices[0]!.message.content).toBe(ANSWER);
  });

  it('accepts its default temperature', async () => {
    const answer = await client.chat.completions.create({
      messages,
      model: 'gpt-5',
      temperature: 1,
    });
    expect(answer.choices[0]!.message.content).toBe(ANSWER);
  });

  it('is also truncated in a stream', async () => {
    const stream = await client.chat.completions.create({
      messages,
      model: 'gpt-5',
      max_completion_tokens: 1_410,
      stream: true,
    });
    const streamed: string[] = [];
    for await (const { choices } of stream) {
      streamed.push(choices[0]?.delta.content ?? '', choices[0]?.finish_reason ?? '');
    }
    expect(streamed.join('')).toBe('wordwordlength');
  });
});
