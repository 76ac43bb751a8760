import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectProven } from './expect-proven.ts';
import { expectSent } from './expect-sent.ts';
import type { ExpectedRequests } from './expect-sent.ts';
import { PAIRINGS } from './pairings.ts';
import { openClientSetup } from './open-client-setup.ts';
import type { ClientSetup } from './open-client-setup.ts';
import { sendModelOutput } from './send-model-output.ts';
import type { Turn } from './test-client.ts';
import { TOOLS } from './weather.ts';

const QUESTION = 'How is the weather in Oslo, and what time is it in Zürich?';
const CALLS = [
  { id: 'call_w1', name: 'get_weather', input: '{"city":"Oslo"}' },
  { id: 'call_t2', name: 'get_time', input: '{"city":"Z\\u00fcrich"}' },
];
const PARSED_CALLS = [
  { id: 'call_w1', name: 'get_weather', input: { city: 'Oslo' } },
  { id: 'call_t2', name: 'get_time', input: { city: 'Zürich' } },
];
const REWRITTEN_CALLS = PARSED_CALLS.map((call) => ({
  ...call,
  input: JSON.stringify(call.input),
}));
const RESULTS = [
  { id: 'call_w1', name: 'get_weather', text: '-3 degrees, snow' },
  { id: 'call_t2', name: 'get_time', text: '14:05' },
];
const USAGE = { input: 11, output: 7 };

/**
 * Expected members of the provider request, by dialect, for a request with tools that requires a
 * call.
 */
const EXPECTED_DECLARATIONS: ExpectedRequests = {
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
  responses: {
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: QUESTION }] }],
    tools: TOOLS.map((one) => expect.objectContaining({ type: 'function', ...one })),
    tool_choice: 'required',
  },
};

/**
 * Returns the expected provider request with two tool calls and their results. Chat completions
 * have one message per result; messages have one for all results.
 */
const toExpectedResults = (
  text: string | null,
  calls: readonly { id: string; name: string; input: string }[],
): ExpectedRequests => ({
  'chat-completions': {
    messages: [
      { role: 'user', content: QUESTION },
      {
        role: 'assistant',
        content: text,
        tool_calls: calls.map(({ id, name, input }) => ({
          id,
          type: 'function',
          function: { name, arguments: input },
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
          ...PARSED_CALLS.map((call) => ({ type: 'tool_use', ...call })),
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
  responses: {
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: QUESTION }] },
      ...(text === null
        ? []
        : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }]),
      ...calls.map(({ id, name, input }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: input,
      })),
      ...RESULTS.map((one) => ({
        type: 'function_call_output',
        call_id: one.id,
        output: one.text,
      })),
    ],
  },
});

describe('tool calls', () => {
  let setup: ClientSetup;

  beforeAll(async () => {
    setup = await openClientSetup('in-process');
  });
  afterAll(async () => {
    await setup[Symbol.asyncDispose]();
  });

  describe.each(PAIRINGS)('from %s', (_title, pairing) => {
    const { model, dialect } = pairing.vendor;

    it.each([
      ['plain', false, null],
      ['plain, with text before them', false, 'I shall look.'],
      ['streamed', true, null],
      ['streamed, with text before them', true, 'I shall look.'],
    ])(
      'can be parallel, and the conversation continues with the results: %s',
      async (_name, streamed, text) => {
        const client = setup.clientOf(pairing);
        const textOutput = text === null ? {} : { text: [text] };
        setup.script(
          sendModelOutput(dialect, { ...textOutput, calls: CALLS }),
          sendModelOutput(dialect, { text: ['Snow, and ', 'five past two.'] }),
        );
        const turns: Turn[] = [{ user: QUESTION }];
        const request = { model, streamed, turns, tools: TOOLS, mustCall: true };
        const answer = await client.ask(request);
        expect(answer).toMatchObject({
          text: text ?? '',
          finishReason: client.finishNames.tool_calls,
        });
        expect(answer.calls).toEqual(PARSED_CALLS);
        await expectProven(setup, pairing, { finishReason: 'tool_calls', usage: USAGE });
        expectSent(setup, pairing, EXPECTED_DECLARATIONS);

        turns.push({ answer }, { results: RESULTS });
        const finalAnswer = await client.ask({ ...request, mustCall: false });
        expect(finalAnswer).toMatchObject({ text: 'Snow, and five past two.', calls: [] });
        expect(finalAnswer.finishReason).toBe(client.finishNames.stop);
        await expectProven(setup, pairing, { finishReason: 'stop', usage: USAGE });
        const sentCalls = pairing.kind.keepsArguments ? CALLS : REWRITTEN_CALLS;
        expectSent(setup, pairing, toExpectedResults(text, sentCalls));
      },
    );

    it.each([
      ['plain', false],
      ['streamed', true],
    ])('can have no arguments: %s', async (_name, streamed) => {
      const client = setup.clientOf(pairing);
      const emptyInput = dialect === 'messages' ? '' : '{}';
      setup.script(
        sendModelOutput(dialect, {
          calls: [{ id: 'call_1', name: 'get_time', input: emptyInput }],
        }),
      );
      const answer = await client.ask({
        model,
        streamed,
        turns: [{ user: 'Time?' }],
        tools: TOOLS,
      });
      expect(answer.calls).toEqual([{ id: 'call_1', name: 'get_time', input: {} }]);
      await expectProven(setup, pairing, { finishReason: 'tool_calls', usage: USAGE });
    });
  });
});
