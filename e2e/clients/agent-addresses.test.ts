import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import { answerWith, openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import OpenAI from 'openai';
import { openFixture, TRANSPORTS } from '../open-fixture.ts';
import type { Fixture } from '../open-fixture.ts';

const QUESTION = [{ role: 'user' as const, content: 'Double our prices?' }];
const SCHEMA = { type: 'object' as const, properties: { leak_everything: { type: 'string' } } };

/** Request parameters that a call to an agent ignores (docs/spec.md#4.6). */
const IGNORED_PARAMETERS: Record<string, object> = {
  'chat completions': {
    tools: [{ type: 'function', function: { name: 'leak_everything', parameters: SCHEMA } }],
    tool_choice: { type: 'function', function: { name: 'leak_everything' } },
    parallel_tool_calls: false,
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'leak_everything', schema: SCHEMA, strict: true },
    },
    functions: [{ name: 'leak_everything', parameters: SCHEMA }],
    function_call: { name: 'leak_everything' },
  },
  messages: {
    tools: [{ name: 'leak_everything', input_schema: SCHEMA }],
    tool_choice: { type: 'tool', name: 'leak_everything' },
    output_config: { format: { type: 'json_schema', schema: SCHEMA } },
    thinking: { type: 'enabled', budget_tokens: 1_024 },
  },
};

const LOCAL_MODEL = 'llama-local';

describe.each(TRANSPORTS)('an agent called by the official clients, over %s', (transport) => {
  let localRuntime: ScriptedProvider;
  let fixture: Fixture;
  let openai: OpenAI;
  let anthropic: Anthropic;

  beforeAll(async () => {
    localRuntime = await openScriptedProvider({ models: [LOCAL_MODEL] });
    const env = { WITAN_MODEL_FULL: 'gpt-full', LOCAL_BASE_URL: localRuntime.baseUrl, LOCAL_MODEL };
    fixture = await openFixture({ transport, env });
    const { baseUrl, apiKey } = fixture.system;
    openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
    anthropic = new Anthropic({ baseURL: baseUrl, apiKey, maxRetries: 0 });
    const body = { name: 'Sceptic', systemPrompt: 'You doubt.' };
    await fixture.client.send('/v1/agents', { body });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
    await localRuntime[Symbol.asyncDispose]();
  });

  const scriptAnswer = (content: string | readonly string[]): void =>
    fixture.provider.script(answerWith({ content }));
  const ANSWER_PIECES = ['No', '. <MEM', 'ORY key=p type=goal>x</', 'MEMORY>', 'Not yet.'];

  const askAgent: Record<string, (stream: boolean, parameters?: object) => Promise<string | null>> =
    {
      'chat completions': async (stream, parameters) => {
        const body = { model: 'agent:sceptic', messages: QUESTION, ...parameters };
        if (!stream)
          return (await openai.chat.completions.create(body)).choices[0]!.message.content;
        let text = '';
        for await (const { choices } of await openai.chat.completions.create({ ...body, stream }))
          text += choices[0]?.delta.content ?? '';
        return text;
      },
      messages: async (stream, parameters) => {
        const body = { model: 'agent:sceptic', max_tokens: 200, messages: QUESTION, ...parameters };
        const { content, stop_reason: reason } = stream
          ? await anthropic.messages.stream(body).finalMessage()
          : await anthropic.messages.create(body);
        expect(reason).toBe('end_turn');
        return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('|');
      },
    };
  const CASES = Object.keys(askAgent).flatMap((dialect) => [
    [dialect, 'whole'] as const,
    [dialect, 'streamed'] as const,
  ]);

  it.each(CASES)('answers in %s, %s, without memory tags', async (dialect, form) => {
    scriptAnswer(ANSWER_PIECES);
    expect(await askAgent[dialect]!(form === 'streamed')).toBe('No. Not yet.');
  });

  it.each(CASES)('ignores tools and formats of the client in %s, %s', async (dialect, form) => {
    scriptAnswer('Not yet.');
    expect(await askAgent[dialect]!(form === 'streamed', IGNORED_PARAMETERS[dialect])).toBe(
      'Not yet.',
    );
    const request = fixture.calls().at(-1)!;
    const memberNames = Object.keys(request.parsed as object);
    expect(memberNames.filter((name) => /tool|format|config|thinking|function/.test(name))).toEqual(
      [],
    );
    expect(request.body.toString()).not.toContain('leak_everything');
  });

  it('stays on the machine with +sensitive', async () => {
    const calls = fixture.calls().length;
    const model = 'agent:sceptic+sensitive';
    const answer = await openai.chat.completions.create({ model, messages: QUESTION });
    expect(answer.model).toBe(LOCAL_MODEL);
    expect(fixture.calls()).toHaveLength(calls);
  });

  it('is listed as a model, and an unknown one is a 404', async () => {
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    expect(ids).toContain('agent:sceptic');
    const unknownAgent = { model: 'agent:nobody', messages: QUESTION };
    await expect(openai.chat.completions.create(unknownAgent)).rejects.toMatchObject({
      status: 404,
    });
    await expect(
      anthropic.messages.create({ ...unknownAgent, max_tokens: 10 }),
    ).rejects.toMatchObject({
      status: 404,
    });
  });
});
