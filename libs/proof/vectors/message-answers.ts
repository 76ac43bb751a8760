import type { AnswerSample } from './answers.ts';

const started = (usage: unknown) => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    usage,
  },
});
const opened = (index: number, content_block: unknown) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const grown = (index: number, delta: unknown) => ({ type: 'content_block_delta', index, delta });
const text = (piece: string) => ({ type: 'text_delta', text: piece });
const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });
const closed = (index: number) => ({ type: 'content_block_stop', index });
const ended = (stop_reason: string, usage?: unknown) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
];
const tool = (id: string, name: string, input: unknown) => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search' };
const result = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };

export const MESSAGE_ANSWERS: AnswerSample[] = [
  // The same text as the plain answer of the other dialect: the hash is the same.
  {
    name: 'message',
    dialect: 'messages',
    body: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
        { type: 'text', text: 'Hi Zoë! 👋' },
      ],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 13, output_tokens: 4 },
    },
    chunks: [
      started({ input_tokens: 13, output_tokens: 1 }),
      opened(0, { type: 'thinking', thinking: '', signature: '' }),
      { type: 'ping' },
      grown(0, { type: 'thinking_delta', thinking: 'hm' }),
      grown(0, { type: 'signature_delta', signature: 'c2ln' }),
      closed(0),
      opened(1, { type: 'text', text: '' }),
      grown(1, text('Hi Zo')),
      grown(1, text('ë! 👋')),
      closed(1),
      ...ended('end_turn', { output_tokens: 4 }),
    ],
    choices: [{ index: 0, content: 'Hi Zoë! 👋', toolCalls: [] }],
  },
  // The arguments are canonical, whatever white space and order the streamed text has.
  {
    name: 'message with tool calls and a tool of the provider',
    dialect: 'messages',
    body: {
      type: 'message',
      content: [
        { type: 'text', text: 'Let me see. ' },
        { ...search, input: { query: 'Oslo' } },
        result,
        { type: 'text', text: 'Now the weather.' },
        tool('toolu_a', 'weather', { city: 'Tromsø', at: [69.65, 18.96], days: 1e21 }),
        tool('toolu_b', 'now', {}),
      ],
      stop_reason: 'tool_use',
    },
    chunks: [
      started({ input_tokens: 1, output_tokens: 1 }),
      opened(0, { type: 'text', text: '' }),
      grown(0, text('Let me see. ')),
      closed(0),
      opened(1, { ...search, input: {} }),
      grown(1, json('{"query": "Oslo"}')),
      closed(1),
      opened(2, result),
      closed(2),
      opened(3, { type: 'text', text: '' }),
      grown(3, text('Now the weather.')),
      closed(3),
      opened(4, tool('toolu_a', 'weather', {})),
      grown(4, json('')),
      grown(4, json('{"city": "Troms\\u00')),
      grown(4, json('f8", "days": 1000000000000000000000, ')),
      grown(4, json('"at": [69.650, 1896e-2]}')),
      closed(4),
      opened(5, tool('toolu_b', 'now', {})),
      grown(5, json('')),
      closed(5),
      ...ended('tool_use', { output_tokens: 40 }),
    ],
    choices: [
      {
        index: 0,
        content: 'Let me see. Now the weather.',
        toolCalls: [
          {
            id: 'toolu_a',
            name: 'weather',
            arguments: '{"at":[69.65,18.96],"city":"Tromsø","days":1e+21}',
          },
          { id: 'toolu_b', name: 'now', arguments: '{}' },
        ],
      },
    ],
  },
];
