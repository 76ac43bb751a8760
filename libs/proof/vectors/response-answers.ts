import type { AnswerSample } from './message-answers.ts';

const MODEL = 'gpt-4o-mini';
const USAGE = { input_tokens: 13, output_tokens: 4, total_tokens: 17 };

const text = (words: string) => ({
  type: 'output_text',
  text: words,
  annotations: [],
});
const message = (id: string, status: string, content: unknown[]) => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content,
});
const call = (id: string, name: string, args: string, status = 'completed') => ({
  id: `fc_${id}`,
  type: 'function_call',
  status,
  call_id: `call_${id}`,
  name,
  arguments: args,
});
const SUMMARY = [{ type: 'summary_text', text: 'hm' }];
const REASONING = { id: 'rs_1', type: 'reasoning', summary: SUMMARY };
const SEARCH = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: {} };

const response = (status: string, output: unknown[], more = {}) => ({
  id: 'resp_1',
  object: 'response',
  status,
  model: MODEL,
  output,
  ...more,
});

/** Numbers the events of a stream from 0. */
const numbered = (events: { type: string; [member: string]: unknown }[]): unknown[] =>
  events.map((event, sequence_number) => ({ sequence_number, ...event }));

const at = (output_index: number, item_id: string) => ({ output_index, item_id });
const added = (output_index: number, item: unknown) => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (output_index: number, item: unknown) => ({
  type: 'response.output_item.done',
  output_index,
  item,
});
const begins = [
  { type: 'response.created', response: response('in_progress', []) },
  { type: 'response.in_progress', response: response('in_progress', []) },
];
const part = { content_index: 0 };
const argumentsDelta = (index: number, id: string, delta: string) => ({
  type: 'response.function_call_arguments.delta',
  ...at(index, id),
  delta,
});

const HI = message('msg_1', 'completed', [text('Hi Zoë! 👋')]);
const CALLS = [
  message('msg_1', 'completed', [text('Let me see. ')]),
  SEARCH,
  REASONING,
  message('msg_2', 'completed', [text('Now the '), text('weather.')]),
  call('a', 'weather', '{"city": "Oslo"}'),
  call('b', 'now', '{}'),
];
const REFUSED = message('msg_1', 'completed', [
  { type: 'refusal', refusal: 'I cannot.' },
  text('But '),
]);

export const RESPONSE_ANSWERS: AnswerSample[] = [
  // Has the same text as the plain answers in the other dialects, and therefore the same hash.
  {
    name: 'response',
    dialect: 'responses',
    body: response('completed', [REASONING, HI], { usage: USAGE }),
    chunks: numbered([
      ...begins,
      added(0, { ...REASONING, summary: [] }),
      { type: 'response.reasoning_summary_text.delta', ...at(0, 'rs_1'), delta: 'hm' },
      done(0, REASONING),
      added(1, message('msg_1', 'in_progress', [])),
      { type: 'response.content_part.added', ...at(1, 'msg_1'), ...part, part: text('') },
      { type: 'response.output_text.delta', ...at(1, 'msg_1'), ...part, delta: 'Hi Zo' },
      { type: 'response.output_text.delta', ...at(1, 'msg_1'), ...part, delta: 'ë! 👋' },
      { type: 'response.output_text.done', ...at(1, 'msg_1'), ...part, text: 'Hi Zoë! 👋' },
      {
        type: 'response.content_part.done',
        ...at(1, 'msg_1'),
        ...part,
        part: text('Hi Zoë! 👋'),
      },
      done(1, HI),
      {
        type: 'response.completed',
        response: response('completed', [REASONING, HI], { usage: USAGE }),
      },
    ]),
    choices: [{ index: 0, content: 'Hi Zoë! 👋', toolCalls: [] }],
  },
  // Items of the provider's own tools are not committed to. Texts come as deltas, at the end of a
  // text, or with the finished part or item.
  {
    name: 'response with calls, a tool of the provider, and texts that no delta carries',
    dialect: 'responses',
    body: response('completed', CALLS),
    chunks: numbered([
      ...begins,
      added(0, message('msg_1', 'in_progress', [])),
      { type: 'response.output_text.delta', ...at(0, 'msg_1'), ...part, delta: 'Let me ' },
      { type: 'response.output_text.delta', ...at(0, 'msg_1'), ...part, delta: 'see. ' },
      done(0, CALLS[0]),
      added(1, SEARCH),
      done(1, SEARCH),
      added(3, message('msg_2', 'in_progress', [])),
      { type: 'response.output_text.done', ...at(3, 'msg_2'), ...part, text: 'Now the ' },
      {
        type: 'response.content_part.done',
        ...at(3, 'msg_2'),
        content_index: 1,
        part: text('weather.'),
      },
      done(3, CALLS[3]),
      added(4, call('a', 'weather', '', 'in_progress')),
      argumentsDelta(4, 'fc_a', '{"city"'),
      argumentsDelta(4, 'fc_a', ': "Oslo"}'),
      done(4, CALLS[4]),
      added(5, call('b', 'now', '', 'in_progress')),
      done(5, CALLS[5]),
      { type: 'response.completed', response: response('completed', CALLS) },
    ]),
    choices: [
      {
        index: 0,
        content: 'Let me see. Now the weather.',
        toolCalls: [
          { id: 'call_a', name: 'weather', arguments: '{"city": "Oslo"}' },
          { id: 'call_b', name: 'now', arguments: '{}' },
        ],
      },
    ],
  },
  {
    name: 'response with a refusal before its text',
    dialect: 'responses',
    body: response('completed', [REFUSED]),
    chunks: numbered([
      ...begins,
      { type: 'response.refusal.delta', ...at(0, 'msg_1'), ...part, delta: 'I can' },
      { type: 'response.refusal.delta', ...at(0, 'msg_1'), ...part, delta: 'not.' },
      { type: 'response.output_text.delta', ...at(0, 'msg_1'), content_index: 1, delta: 'But ' },
      { type: 'response.completed', response: response('completed', [REFUSED]) },
    ]),
    choices: [{ index: 0, content: 'But I cannot.', toolCalls: [] }],
  },
];
