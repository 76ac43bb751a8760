import { describe, expect, it } from '@jest/globals';
import { createSseSplitter } from '@witan/proof';
import type { AnswerHead, AnswerPiece, AnswerTail } from '../dialect.ts';
import type { JsonObject } from '../json/json-value.ts';
import { encodeErrorFrame } from './encode-error.ts';
import { encodeResponse } from './encode-response.ts';
import { createStreamEncoder } from './encode-stream.ts';

const HEAD: AnswerHead = {
  id: '01',
  model: 'm',
  created: 1_700_000_000,
  promptTokensEstimate: 7,
  wantsUsage: true,
};
const TAIL: AnswerTail = {
  finishReason: 'stop',
  stopSequence: '',
  usage: { promptTokens: 5, completionTokens: 3, totalTokens: 8, estimated: false },
  completed: 1_700_000_009,
};
const text = (value: string): AnswerPiece => ({ case: 'text', value });
const refusal = (value: string): AnswerPiece => ({ case: 'refusal', value });
const reasoning = (value: string): AnswerPiece => ({ case: 'reasoning', value });
const call = (id: string, ...pieces: string[]): AnswerPiece[] => [
  { case: 'toolCall', value: { id, name: `tool_${id}` } },
  ...pieces.map((value): AnswerPiece => ({ case: 'toolArguments', value })),
];

const transcript = (pieces: readonly AnswerPiece[], tail = TAIL, head = HEAD): string => {
  const encoder = createStreamEncoder(head);
  return encoder.open() + pieces.map(encoder.piece).join('') + encoder.end(tail);
};
const framesOf = (sse: string) => createSseSplitter().push(new TextEncoder().encode(sse));
const eventsOf = (sse: string): JsonObject[] =>
  framesOf(sse)
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data!) as JsonObject);
const typesOf = (sse: string): unknown[] => eventsOf(sse).map(({ type }) => type);
const lastResponse = (sse: string) => eventsOf(sse).at(-1)!.response as JsonObject;

const OPENING = ['response.created', 'response.in_progress'];
const PIECES = [
  reasoning('Hm'),
  reasoning('.'),
  text('Let '),
  text('me.'),
  ...call('a', '{"x"', ':1}'),
  ...call('b'),
  text('So'),
];

describe('a stream of the responses dialect', () => {
  it('has the events of a text in the order of the specification', () => {
    expect(typesOf(transcript([text('Hi '), text('Zoë')]))).toEqual([
      ...OPENING,
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('has the events of a call in the order of the specification', () => {
    expect(typesOf(transcript(call('a', '{"x"', ':1}')))).toEqual([
      ...OPENING,
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('has the events of a summary of reasoning in the order of the specification', () => {
    expect(typesOf(transcript([reasoning('Hm')]))).toEqual([
      ...OPENING,
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('numbers its events from 0, names each by its type, and ends with [DONE]', () => {
    const frames = framesOf(transcript(PIECES));
    expect(frames.at(-1)?.data).toBe('[DONE]');
    const events = frames.slice(0, -1).map(({ event, data }) => ({
      eventName: event,
      ...(JSON.parse(data!) as { type: string; sequence_number: number }),
    }));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
    for (const { eventName, type } of events) expect(eventName).toBe(type);
  });

  it('opens and closes one item after another, each once, with its own id and index', () => {
    const steps = eventsOf(transcript(PIECES)).flatMap(({ type, output_index, item_id, item }) => {
      const id = (item as JsonObject | undefined)?.id ?? item_id;
      return output_index === undefined
        ? []
        : [{ type, place: JSON.stringify([output_index, id]) }];
    });
    const places = [...new Set(steps.map(({ place }) => place))];
    expect(places.map((place) => (JSON.parse(place) as [number, string])[0])).toEqual([
      0, 1, 2, 3, 4,
    ]);
    for (const place of places) {
      const ofItem = steps.filter((step) => step.place === place).map(({ type }) => type);
      expect(ofItem[0]).toBe('response.output_item.added');
      expect(ofItem.at(-1)).toBe('response.output_item.done');
    }
    // Events of an item are not mixed with those of another.
    const runs = steps.filter(({ place }, index) => place !== steps[index - 1]?.place);
    expect(runs).toHaveLength(places.length);
    const ended = eventsOf(transcript(PIECES)).filter(
      ({ type }) => type === 'response.output_item.done',
    );
    expect(lastResponse(transcript(PIECES)).output).toEqual(ended.map(({ item }) => item));
  });

  it('carries every text in deltas, and repeats it where it ends', () => {
    const events = eventsOf(transcript(PIECES));
    const joined = (type: string): unknown =>
      events
        .filter((event) => event.type === `${type}.delta`)
        .map(({ delta }) => delta)
        .join('');
    expect(joined('response.output_text')).toBe('Let me.So');
    expect(joined('response.function_call_arguments')).toBe('{"x":1}{}');
    expect(joined('response.reasoning_summary_text')).toBe('Hm.');
    const done = events.filter(({ type }) => type === 'response.output_text.done');
    expect(done.map((event) => event.text)).toEqual(['Let me.', 'So']);
  });

  it('ends with the same response that a plain answer is', () => {
    const plain = JSON.parse(JSON.stringify(encodeResponse(HEAD, PIECES, TAIL)));
    expect(lastResponse(transcript(PIECES))).toEqual(plain);
    expect(plain).toMatchObject({
      id: 'resp_01',
      object: 'response',
      status: 'completed',
      completed_at: 1_700_000_009,
      usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
    });
  });

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const)(
    'of an answer that ended by %s has an incomplete last item',
    (finishReason, reason) => {
      const sse = transcript([...call('a', '{}'), text('So')], { ...TAIL, finishReason });
      expect(typesOf(sse).at(-1)).toBe('response.incomplete');
      const response = lastResponse(sse);
      expect(response).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason },
        completed_at: null,
      });
      expect((response.output as JsonObject[]).map(({ status }) => status)).toEqual([
        'completed',
        'incomplete',
      ]);
    },
  );

  it('has refusals and texts of a message as parts with their own indexes', () => {
    const sse = transcript([text('A'), refusal('No.'), text('B')]);
    expect(lastResponse(sse).output).toMatchObject([
      {
        content: [
          { type: 'output_text', text: 'A' },
          { type: 'refusal', refusal: 'No.' },
          { type: 'output_text', text: 'B' },
        ],
      },
    ]);
    const deltas = eventsOf(sse).filter(({ type }) => String(type).endsWith('.delta'));
    expect(deltas.map(({ content_index }) => content_index)).toEqual([0, 1, 2]);
  });

  it('names the namespace in which the client declared a function', () => {
    const tools = [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'tool_a' }] }];
    const { output } = lastResponse(
      transcript([...call('a'), ...call('b')], TAIL, { ...HEAD, echo: { tools } }),
    );
    expect(output).toMatchObject([{ name: 'tool_a', namespace: 'n' }, { name: 'tool_b' }]);
    expect((output as object[])[1]).not.toHaveProperty('namespace');
  });

  it('repeats the members of the request, with what clients expect in them', () => {
    const echo = {
      instructions: 'Be brief.',
      temperature: 0.5,
      metadata: { a: 'b' },
      reasoning: { effort: 'low' },
      text: { verbosity: 'low' },
      tools: [{ type: 'function', name: 'f' }],
      store: true,
    };
    expect(lastResponse(transcript([text('A')], TAIL, { ...HEAD, echo }))).toMatchObject({
      ...echo,
      reasoning: { effort: 'low', summary: null },
      text: { verbosity: 'low', format: { type: 'text' } },
      tools: [{ type: 'function', name: 'f', description: null, parameters: null, strict: null }],
      store: false,
    });
  });

  it('of an empty answer completes without items', () => {
    expect(typesOf(transcript([]))).toEqual([...OPENING, 'response.completed']);
    expect(lastResponse(transcript([])).output).toEqual([]);
  });
});

describe('the failure of a stream', () => {
  const failure = { reason: 'PROVIDER_STREAM_CUT', message: 'It broke off.', fields: {} } as const;
  const failed = (sent?: { first: string; last: string }): string =>
    encodeErrorFrame(failure, sent ? { sent } : {});

  it('is response.failed with the next number and the response that was begun', () => {
    const encoder = createStreamEncoder(HEAD);
    const first = encoder.open();
    const last = encoder.piece(text('Hi'));
    const sse = failed({ first, last });
    const [event] = eventsOf(sse);
    expect(event).toMatchObject({
      type: 'response.failed',
      sequence_number: Number(eventsOf(last).at(-1)!.sequence_number) + 1,
      response: {
        id: 'resp_01',
        status: 'failed',
        error: { code: 'upstream_error', message: 'It broke off.' },
      },
    });
    expect(sse.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('is an error event if no response was begun', () => {
    expect(eventsOf(failed())).toEqual([
      {
        type: 'error',
        sequence_number: 0,
        code: 'upstream_error',
        message: 'It broke off.',
        param: null,
      },
    ]);
  });

  it.each(['data: not JSON\n\n', 'data: []\r\n\r\n', ': comment\n\n'])(
    'does not fail on the frames %j of a provider',
    (frames) => {
      expect(typesOf(failed({ first: frames, last: frames }))).toEqual(['error']);
    },
  );
});
