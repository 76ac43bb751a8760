import { commitmentText } from '../src/commitment.ts';
import { MESSAGE_ANSWERS } from './message-answers.ts';
import type { AnswerSample } from './message-answers.ts';
import { RESPONSE_ANSWERS } from './response-answers.ts';


const choice = (index: number, delta: unknown, finish_reason: string | null = null) => ({
  choices: [{ index, delta, finish_reason }],
});
const call = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

export const ANSWERS: AnswerSample[] = [
  {
    name: 'plain',
    body: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hi Zoë! 👋' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 13, completion_tokens: 4, total_tokens: 17 },
    },
    chunks: [
      choice(0, { role: 'assistant', content: '' }),
      choice(0, { content: 'Hi Zo' }),
      choice(0, { content: 'ë! 👋' }),
      choice(0, {}, 'stop'),
      { choices: [], usage: { prompt_tokens: 13, completion_tokens: 4, total_tokens: 17 } },
    ],
    choices: [{ index: 0, content: 'Hi Zoë! 👋', toolCalls: [] }],
  },
  {
    name: 'tool calls',
    body: {
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [call('call_a', 'weather', '{"city": "Oslo"}'), call('call_b', 'now', '')],
          },
          finish_reason: 'tool_calls',
        },
      ],
    },
    chunks: [
      choice(0, {
        role: 'assistant',
        content: null,
        tool_calls: [{ index: 0, ...call('call_a', 'weather', '') }],
      }),
      choice(0, { tool_calls: [{ index: 0, function: { arguments: '{"city"' } }] }),
      choice(0, { tool_calls: [{ index: 1, ...call('call_b', 'now', '') }] }),
      choice(0, { tool_calls: [{ index: 0, function: { arguments: ': "Oslo"}' } }] }),
      choice(0, { tool_calls: [] }, 'tool_calls'),
    ],
    choices: [
      {
        index: 0,
        content: null,
        toolCalls: [
          { id: 'call_a', name: 'weather', arguments: '{"city": "Oslo"}' },
          { id: 'call_b', name: 'now', arguments: '' },
        ],
      },
    ],
  },
  {
    name: 'two choices and thinking',
    body: {
      choices: [
        { index: 0, message: { content: 'A' }, finish_reason: 'stop' },
        {
          index: 1,
          message: { content: 'B\ud800', reasoning_content: 'hm' },
          finish_reason: 'length',
        },
      ],
    },
    chunks: [
      choice(1, { reasoning_content: 'hm' }),
      choice(1, { content: 'B\ud800' }, 'length'),
      choice(0, { content: 'A' }, 'stop'),
    ],
    choices: [
      { index: 0, content: 'A', toolCalls: [] },
      { index: 1, content: 'B\ud800', toolCalls: [] },
    ],
  },
  {
    name: 'refusal',
    body: {
      choices: [
        { index: 0, message: { content: null, refusal: 'I cannot.' }, finish_reason: 'stop' },
      ],
    },
    chunks: [choice(0, { refusal: 'I can' }), choice(0, { refusal: 'not.' }, 'stop')],
    choices: [{ index: 0, content: 'I cannot.', toolCalls: [] }],
  },
  { name: 'nothing', body: { choices: [] }, chunks: [], choices: [] },
  ...MESSAGE_ANSWERS,
  ...RESPONSE_ANSWERS,
];

export function answerNamed(name: string) {
  const answer = ANSWERS.find((candidate) => candidate.name === name);
  if (answer === undefined) throw new Error(`no answer named ${name}`);
  return { ...answer, text: commitmentText(answer.choices) };
}
