import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectProven } from './expect-proven.ts';
import { expectSent } from './expect-sent.ts';
import type { Golden } from './expect-sent.ts';
import { LANES } from './lanes.ts';
import { openBench } from './open-bench.ts';
import type { Bench } from './open-bench.ts';
import { sendSpeech } from './send-speech.ts';
import type { Turn } from './test-client.ts';
import { TOOLS } from './weather.ts';

const QUESTION = 'How is the weather in Oslo, and what time is it in Zürich?';
const CALLS = [
  { id: 'call_w1', name: 'get_weather', input: '{"city":"Oslo"}' },
  { id: 'call_t2', name: 'get_time', input: '{"city":"Z\\u00fcrich"}' },
];
const CALLED = [
  { id: 'call_w1', name: 'get_weather', input: { city: 'Oslo' } },
  { id: 'call_t2', name: 'get_time', input: { city: 'Zürich' } },
];
const RESULTS = [
  { id: 'call_w1', name: 'get_weather', text: '-3 degrees, snow' },
  { id: 'call_t2', name: 'get_time', text: '14:05' },
];
const USAGE = { input: 11, output: 7 };

/**
 * Expected members of the provider request, by dialect, for a request with tools that requires a
 * call.
 */
const DECLARED: Golden = {
  'chat-completions': {
    messages: [{ role: 'user', content: QUESTION }],
    tools: TOOLS.map((one) => ({ type: 'function', function: expect.objectContaining(one) })),
    tool_choice: 'required',
  },
  messages: {
    messages: [{ role: 'user', content: QUESTION }],
    tools: TOOLS.map(({ name, description, parameters }) =>
      expect.objectContaining({ name, description, input_schema: parameters }),
    ),
    tool_choice: { type: 'any' },
  },
};

/**
 * Returns the expected provider request with two tool calls and their results. Chat completions
 * have one message per result; messages have one for all results.
 */
const toReturned = (text: string | null): Golden => ({
  'chat-completions': {
    messages: [
      { role: 'user', content: QUESTION },
      {
        role: 'assistant',
        content: text,
        tool_calls: CALLED.map(({ id, name, input }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        })),
      },
      ...RESULTS.map((one) => ({ role: 'tool', tool_call_id: one.id, content: one.text })),
    ],
  },
  messages: {
    messages: [
      { role: 'user', content: QUESTION },
      {
        role: 'assistant',
        content: [
          ...(text === null ? [] : [{ type: 'text', text }]),
          ...CALLED.map((call) => ({ type: 'tool_use', ...call })),
        ],
      },
      {
        role: 'user',
        content: RESULTS.map(({ id, text: content }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content,
        })),
      },
    ],
  },
});

describe('tool calls', () => {
  let bench: Bench;

  beforeAll(async () => {
    bench = await openBench('in-process');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  describe.each(LANES)('from %s', (_title, lane) => {
    const { model, dialect } = lane.vendor;

    it.each([
      ['plain', false, null],
      ['plain, with words before them', false, 'I shall look.'],
      ['streamed', true, null],
      ['streamed, with words before them', true, 'I shall look.'],
    ])(
      'can be parallel, and the conversation continues with the results: %s',
      async (_n, streamed, text) => {
        const client = bench.clientOf(lane);
        const spoken = text === null ? {} : { text: [text] };
        bench.script(
          sendSpeech(dialect, { ...spoken, calls: CALLS }),
          sendSpeech(dialect, { text: ['Snow, and ', 'five past two.'] }),
        );
        const turns: Turn[] = [{ user: QUESTION }];
        const request = { model, streamed, turns, tools: TOOLS, mustCall: true };
        const answer = await client.ask(request);
        expect(answer).toMatchObject({ text: text ?? '', finish: client.finishNames.tool_calls });
        expect(answer.calls).toEqual(CALLED);
        await expectProven(bench, lane, { finishReason: 'tool_calls', usage: USAGE });
        expectSent(bench, lane, DECLARED);

        turns.push({ answer }, { results: RESULTS });
        const final = await client.ask({ ...request, mustCall: false });
        expect(final).toMatchObject({ text: 'Snow, and five past two.', calls: [] });
        expect(final.finish).toBe(client.finishNames.stop);
        await expectProven(bench, lane, { finishReason: 'stop', usage: USAGE });
        expectSent(bench, lane, toReturned(text));
      },
    );

    it.each([
      ['plain', false],
      ['streamed', true],
    ])('can have no arguments: %s', async (_name, streamed) => {
      const client = bench.clientOf(lane);
      const noInput = dialect === 'messages' ? '' : '{}';
      bench.script(
        sendSpeech(dialect, { calls: [{ id: 'call_1', name: 'get_time', input: noInput }] }),
      );
      const answer = await client.ask({
        model,
        streamed,
        turns: [{ user: 'Time?' }],
        tools: TOOLS,
      });
      expect(answer.calls).toEqual([{ id: 'call_1', name: 'get_time', input: {} }]);
      await expectProven(bench, lane, { finishReason: 'tool_calls', usage: USAGE });
    });
  });
});
