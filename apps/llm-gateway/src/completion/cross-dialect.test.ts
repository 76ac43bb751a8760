import { describe, expect, it } from '@jest/globals';
import { DIALECTS } from '@witan/dialects';
import type { DialectName } from '@witan/dialects';
import { commitAnswer } from '@witan/proof';
import type { ChatAnswer, MessageAnswer } from '@witan/testing';
import { createFakeProvider } from '../../test/fake-provider.ts';
import type { FakeProviderOptions } from '../../test/fake-provider.ts';
import { openCrossDialect, openCompletions } from '../../test/open-completions.ts';
import type { Outcome } from '../../test/open-completions.ts';
import {
  chatFrame,
  DONE,
  messageFrames,
  refusalOf,
  replyInChat,
  replyInMessages,
  streamOf,
} from '../../test/provider-answers.ts';
import { findEvent, kindsOf, piecesOf, readAsClient } from '../../test/read-as-client.ts';
import { neutralRequest, wireRequest } from '../../test/requests.ts';

type Reply = FakeProviderOptions['reply'];

const textOf = ({ events }: Outcome): string =>
  piecesOf(events)
    .map((piece) => (piece.case === 'text' ? piece.value : ''))
    .join('');

const FORMS = [
  ['plain', false],
  ['streamed', true],
] as const;

const MESSAGES: readonly (readonly [string, MessageAnswer])[] = [
  ['text', { content: ['Grüße 😀 ', 'and more'] }],
  ['nothing at all', { blocks: [] }],
  ['an empty text', { content: '' }],
  [
    'signed reasoning and text',
    {
      blocks: [
        { type: 'thinking', thinking: ['Let me ', 'see.'], signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'eHl6' },
        { type: 'text', text: 'Yes.' },
      ],
    },
  ],
  ['reasoning only', { blocks: [{ type: 'thinking', thinking: 'Hm.' }], stopReason: 'max_tokens' }],
  [
    'text and two tool calls',
    {
      blocks: [
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: 'toolu_a', name: 'find', input: ['{"q":', '"é", "n":1.0}'] },
        { type: 'tool_use', id: 'toolu_b', name: 'now', input: '' },
      ],
    },
  ],
  ['a truncated text', { content: 'Onc', stopReason: 'max_tokens' }],
  ['a text ended by a stop sequence', { content: 'One', stopSequence: 'END' }],
  ['a refusal', { content: 'I would rather not.', stopReason: 'refusal' }],
];

const CHAT: readonly (readonly [string, ChatAnswer])[] = [
  ['text', { content: ['Grüße 😀 ', 'and more'] }],
  ['nothing at all', { content: null }],
  ['an empty text', { content: '' }],
  [
    'text and two tool calls',
    {
      content: 'Looking.',
      toolCalls: [
        {
          id: 'call_a',
          name: 'find',
          arguments: '{"q": "é", "n": 1.0, "a": 12345678901234567890}',
        },
        { id: 'call_b', name: 'now', arguments: '{}' },
      ],
    },
  ],
  ['a tool call without arguments', { toolCalls: [{ name: 'now', arguments: '' }] }],
  ['a truncated text', { content: 'Onc', finishReason: 'length' }],
  ['a text ended by a content filter', { content: 'I', finishReason: 'content_filter' }],
];

describe.each(FORMS)(
  'a %s answer in the messages dialect for a chat-completions client',
  (_f, stream) => {
    it.each(MESSAGES)('is certified as the client receives it: %s', async (_name, answer) => {
      const { ask, certified } = openCrossDialect('chat-completions', ({ body }) =>
        replyInMessages(answer, body),
      );
      const outcome = await ask({ stream });
      expect(outcome.failure).toBe('');
      const { choices } = readAsClient(DIALECTS['chat-completions'], outcome.events, stream);
      expect(certified[0]!.answer.sha256).toBe(commitAnswer(choices));
      expect(choices).toHaveLength(1);
      expect(findEvent(outcome.events, 'opened')).toMatchObject({
        neutral: true,
        streamed: stream,
      });
    });
  },
);

describe.each(FORMS)(
  'a %s answer in the chat-completions dialect for a messages client',
  (_f, stream) => {
    it.each(CHAT)('is certified as the client receives it: %s', async (_name, answer) => {
      const { ask, certified } = openCrossDialect('messages', ({ body }) =>
        replyInChat(answer, body),
      );
      const outcome = await ask({ stream });
      expect(outcome.failure).toBe('');
      const { choices } = readAsClient(DIALECTS.messages, outcome.events, stream);
      expect(certified[0]!.answer.sha256).toBe(commitAnswer(choices));
      expect(choices).toHaveLength(1);
      expect(findEvent(outcome.events, 'opened')).toMatchObject({
        neutral: true,
        streamed: stream,
      });
    });

    const TRUNCATED_ANSWER: ChatAnswer = {
      toolCalls: [{ name: 'f', arguments: '{"a":' }],
      finishReason: 'length',
    };
    it('is certified as the client receives it: a truncated tool call', async () => {
      const { ask, certified } = openCrossDialect('messages', ({ body }) =>
        replyInChat(TRUNCATED_ANSWER, body),
      );
      const { choices } = readAsClient(DIALECTS.messages, (await ask({ stream })).events, stream);
      expect(certified[0]!.answer.sha256).toBe(commitAnswer(choices));
    });

    it('relays a model refusal as text', async () => {
      const refusal = { refusal: 'I would rather not.', content: null };
      const { ask, certified } = openCrossDialect('messages', ({ body }) => {
        if (!stream) return replyInChat({ extra: { choices: [{ message: refusal }] } }, body);
        const choice = { index: 0, delta: refusal, finish_reason: 'stop' };
        return streamOf([chatFrame({ choices: [choice] }), DONE]);
      });
      const { choices } = readAsClient(DIALECTS.messages, (await ask({ stream })).events, stream);
      expect(choices[0]!.content).toBe('I would rather not.');
      expect(certified[0]!.answer.sha256).toBe(commitAnswer(choices));
    });
  },
);

describe('an answer in another dialect', () => {
  it.each(FORMS)('is relayed in pieces with its finish reason: %s', async (_name, stream) => {
    const usage = { input_tokens: 5, cache_read_input_tokens: 20, output_tokens: 2 };
    const output = { content: ['po', 'ng'], stopSequence: 'END', usage };
    const { ask, certified } = openCrossDialect('chat-completions', ({ body }) =>
      replyInMessages(output, body),
    );
    const outcome = await ask({ stream });
    expect(kindsOf(outcome.events)).toBe('opened part completed');
    expect(textOf(outcome)).toBe('pong');
    expect(findEvent(outcome.events, 'completed')).toMatchObject({
      proofId: 'pf_1',
      finishReason: 'stop',
      stopSequence: 'END',
      usage: { promptTokens: 25, completionTokens: 2, totalTokens: 27, cachedTokens: 20 },
    });
    expect(certified[0]!.answer).toMatchObject({
      finishReason: 'stop',
      usage: { promptTokens: 25 },
    });
  });

  it('streams its pieces as they arrive', async () => {
    const { run, log } = openCrossDialect('chat-completions', () =>
      streamOf(
        (async function* frames() {
          for (const frame of messageFrames({ content: ['po', 'ng'] })) {
            log.push('frame');
            yield frame;
            // The next frame arrives later, as over a network.
            await new Promise((resolve) => {
              setImmediate(resolve);
            });
          }
        })(),
      ),
    );
    for await (const { event } of run(wireRequest('chat-completions', { stream: true }))) {
      log.push(String(event?.case));
    }
    expect(log.slice(2).join(' ')).toBe(
      // The provider's frames are start, ping, block start, two text deltas and the end;
      // `completed` follows only after the certificate.
      'frame frame frame frame opened part frame part frame frame frame append pf_1 stop completed',
    );
  });

  it('does not forward headers and query of the other dialect', async () => {
    const { read, provider } = openCrossDialect('chat-completions', undefined);
    const wire = { headers: { 'openai-beta': 'x=1' }, query: 'beta=true' };
    await read(wireRequest('chat-completions', {}, { wire }));
    expect(provider.calls[0]).toMatchObject({ headers: {}, query: '' });
  });

  it('names the dropped fields', async () => {
    const { ask, provider } = openCrossDialect('chat-completions', undefined);
    const { events } = await ask({ seed: 7, logit_bias: { 1: 2 }, temperature: 0.5 });
    expect(findEvent(events, 'opened').droppedParams).toEqual(['logit_bias', 'seed']);
    expect(provider.lastBody()).toMatchObject({ temperature: 0.5, max_tokens: 100 });
    const back = openCrossDialect('messages', undefined);
    const answered = await back.ask({ top_k: 5, service_tier: 'auto' });
    expect(findEvent(answered.events, 'opened').droppedParams).toEqual(['service_tier', 'top_k']);
    expect(back.provider.lastBody()).not.toHaveProperty('top_k');
  });
});

describe('a call in the neutral form', () => {
  const TOOLS = [{ name: 'find', description: 'Finds.', parameters: '{"type":"object"}' }];
  const TOOL_CALL_ANSWER = [
    { index: 0, content: null, toolCalls: [{ id: 'c_1', name: 'find', arguments: '{"q": 1}' }] },
  ];
  const REPLIES: readonly (readonly [DialectName, Reply])[] = [
    [
      'chat-completions',
      ({ body }) =>
        replyInChat({ toolCalls: [{ id: 'c_1', name: 'find', arguments: '{"q": 1}' }] }, body),
    ],
    [
      'messages',
      () =>
        streamOf(
          messageFrames({
            blocks: [{ type: 'tool_use', id: 'c_1', name: 'find', input: ['{"q": ', '1}'] }],
          }),
        ),
    ],
  ];

  it.each(REPLIES)('is answered in the neutral form by %s', async (dialect, reply) => {
    const provider = createFakeProvider({ dialect, reply });
    const { read, certified } = openCompletions({ providers: [provider] });
    const outcome = await read(neutralRequest({ tools: TOOLS, streamed: true }));
    expect(kindsOf(outcome.events)).toBe('opened part completed');
    expect(findEvent(outcome.events, 'opened')).toMatchObject({ neutral: true, streamed: true });
    expect(piecesOf(outcome.events)[0]).toEqual({
      case: 'toolCall',
      value: { id: 'c_1', name: 'find' },
    });
    // The certificate commits to tool arguments exactly as the model wrote them.
    expect(certified[0]!.answer).toMatchObject({
      finishReason: 'tool_calls',
      sha256: commitAnswer(TOOL_CALL_ANSWER),
    });
    expect(certified[0]!.routing.taskType).toBe('tools');
    expect(provider.lastBody()).toMatchObject({ stream: true, model: `${provider.name}-model` });
  });

  it('relays a refusal in the neutral form', async () => {
    const provider = createFakeProvider({ reply: () => refusalOf(400) });
    const { events } = await openCompletions({ providers: [provider] }).read(neutralRequest());
    expect(findEvent(events, 'refused')).toMatchObject({ code: 'no_way' });
  });
});
