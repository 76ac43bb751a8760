import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import { answerWith } from '@witan/testing';
import OpenAI from 'openai';
import { openLine, TRANSPORTS } from '../open-line.ts';
import type { Line } from '../open-line.ts';

const QUESTION = [{ role: 'user' as const, content: 'Double our prices?' }];
const TOOLS = [{ type: 'function' as const, function: { name: 'f', parameters: {} } }];

describe.each(TRANSPORTS)('an agent behind the official clients, over %s', (transport) => {
  let line: Line;
  let openai: OpenAI;
  let anthropic: Anthropic;

  beforeAll(async () => {
    line = await openLine({ transport, env: { WITAN_MODEL_FULL: 'gpt-full' } });
    const { baseUrl, apiKey } = line.system;
    openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: baseUrl, apiKey, maxRetries: 0 });
    const body = { name: 'Sceptic', systemPrompt: 'You doubt.' };
    await line.client.send('/v1/agents', { body });
  });
  afterAll(async () => {
    await line[Symbol.asyncDispose]();
  });

  const say = (content: string | readonly string[]): void =>
    line.provider.script(answerWith({ content }));
  const SPLIT = ['No', '. <MEM', 'ORY key=p type=goal>x</', 'MEMORY>', 'Not yet.'];

  it('answers in chat completions, whole and streamed, and ignores the caller\u2019s tools', async () => {
    say('No. <MEMORY key=p type=goal>x</MEMORY>Not yet.');
    const model = 'agent:sceptic';
    const whole = await openai.chat.completions.create({ model, messages: QUESTION, tools: TOOLS });
    expect(whole.choices[0]!.message.content).toBe('No. Not yet.');
    expect(line.calls().at(-1)!.parsed).not.toHaveProperty('tools');
    say(SPLIT);
    const stream = await openai.chat.completions.create({
      model,
      messages: QUESTION,
      stream: true,
    });
    let text = '';
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    expect(text).toBe('No. Not yet.');
  });

  it('answers in messages, whole and streamed', async () => {
    const call = { model: 'agent:sceptic', max_tokens: 200, messages: QUESTION };
    say('No. <MEMORY key=p type=goal>x</MEMORY>Not yet.');
    const whole = await anthropic.messages.create(call);
    expect(whole.content).toMatchObject([{ type: 'text', text: 'No. Not yet.' }]);
    say(SPLIT);
    const final = await anthropic.messages.stream(call).finalMessage();
    expect(final.content).toMatchObject([{ type: 'text', text: 'No. Not yet.' }]);
    expect(final.stop_reason).toBe('end_turn');
  });

  it('stays on the machine with +sensitive', async () => {
    const calls = line.calls().length;
    const model = 'agent:sceptic+sensitive';
    const answer = await openai.chat.completions.create({ model, messages: QUESTION });
    expect(answer.model).toBe('witan-offline');
    expect(line.calls()).toHaveLength(calls);
  });

  it('is listed among the models, and an unknown one is a 404', async () => {
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    expect(ids).toContain('agent:sceptic');
    const unknown = { model: 'agent:nobody', messages: QUESTION };
    await expect(openai.chat.completions.create(unknown)).rejects.toMatchObject({ status: 404 });
    await expect(anthropic.messages.create({ ...unknown, max_tokens: 10 })).rejects.toMatchObject({
      status: 404,
    });
  });
});
