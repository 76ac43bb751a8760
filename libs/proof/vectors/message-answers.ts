import type { AnswerChoice } from '../src/answer.ts';

const messageStart = (usage: unknown) => ({
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
const blockStart = (index: number, content_block: unknown) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const blockDelta = (index: number, delta: unknown) => ({
  type: 'content_block_delta',
  index,
  delta,
});
const text = (piece: string) => ({ type: 'text_delta', text: piece });
const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });
const blockStop = (index: number) => ({ type: 'content_block_stop', index });
const messageEnd = (stop_reason: string, usage?: unknown) => [
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
  // Has the same text as the plain answer in the chat-completions dialect, and therefore the same
  // hash.
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
      messageStart({ input_tokens: 13, output_tokens: 1 }),
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      { type: 'ping' },
      blockDelta(0, { type: 'thinking_delta', thinking: 'hm' }),
      blockDelta(0, { type: 'signature_delta', signature: 'c2ln' }),
      blockStop(0),
      blockStart(1, { type: 'text', text: '' }),
      blockDelta(1, text('Hi Zo')),
      blockDelta(1, text('ë! 👋')),
      blockStop(1),
      ...messageEnd('end_turn', { output_tokens: 4 }),
    ],
    choices: [{ index: 0, content: 'Hi Zoë! 👋', toolCalls: [] }],
  },
  // The committed arguments are canonical, whatever white space and member order the streamed text
  // has.
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
      messageStart({ input_tokens: 1, output_tokens: 1 }),
      blockStart(0, { type: 'text', text: '' }),
      blockDelta(0, text('Let me see. ')),
      blockStop(0),
      blockStart(1, { ...search, input: {} }),
      blockDelta(1, json('{"query": "Oslo"}')),
      blockStop(1),
      blockStart(2, result),
      blockStop(2),
      blockStart(3, { type: 'text', text: '' }),
      blockDelta(3, text('Now the weather.')),
      blockStop(3),
      blockStart(4, tool('toolu_a', 'weather', {})),
      blockDelta(4, json('')),
      blockDelta(4, json('{"city": "Troms\\u00')),
      blockDelta(4, json('f8", "days": 1000000000000000000000, ')),
      blockDelta(4, json('"at": [69.650, 1896e-2]}')),
      blockStop(4),
      blockStart(5, tool('toolu_b', 'now', {})),
      blockDelta(5, json('')),
      blockStop(5),
      ...messageEnd('tool_use', { output_tokens: 40 }),
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

export type AnswerSample = {
  name: string;
  dialect?: 'messages' | 'responses';
  body: unknown;
  chunks: unknown[];
  choices: AnswerChoice[];
};
