import { fillBody, makeHistory, toQuestionStart, SYSTEM_TEXT } from './history.ts';
import type { Traffic } from './history.ts';

const HEAD = { id: 'msg_0123456789abcdefghijklmn', type: 'message', role: 'assistant' };
const MODEL = 'claude-bench';
const MAX_TOKENS = 4_096;
const USAGE = {
  input_tokens: 230,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 90,
};
const STOP = { stop_reason: 'end_turn', stop_sequence: null };

/** Requests and responses of the messages dialect. A stream has one text block. */
export const messagesTraffic: Traffic = {
  path: '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  makeRequest: ({ model, isStreamed, isPersonal = false, bodyBytes }) =>
    fillBody(bodyBytes, (text) =>
      JSON.stringify({
        model,
        max_tokens: MAX_TOKENS,
        ...(isStreamed ? { stream: true } : {}),
        system: SYSTEM_TEXT,
        messages: [
          ...makeHistory(bodyBytes),
          { role: 'user', content: toQuestionStart({ isPersonal }) + text },
        ],
      }),
    ),
  makeAnswer: (bytes) =>
    fillBody(bytes, (text) =>
      JSON.stringify({
        ...HEAD,
        model: MODEL,
        content: [{ type: 'text', text }],
        ...STOP,
        usage: USAGE,
      }),
    ),
  makeFrames: (texts) => ({
    opening: [
      toFrame('message_start', {
        message: {
          ...HEAD,
          model: MODEL,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...USAGE, output_tokens: 1 },
        },
      }),
      toFrame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ],
    texts: Array.from({ length: texts }, () =>
      toFrame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ' advice' } }),
    ),
    closing: [
      toFrame('content_block_stop', { index: 0 }),
      toFrame('message_delta', { delta: STOP, usage: USAGE }),
      toFrame('message_stop', {}),
    ],
  }),
};

const toFrame = (type: string, rest: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
