import { fillBody, makeHistory, toQuestionStart, SYSTEM_TEXT } from './history.ts';
import type { Traffic } from './history.ts';

const ID = 'chatcmpl-0123456789abcdefghijklmn';
const MODEL = 'gpt-bench';
const CREATED = 1_767_225_600;
const USAGE = { prompt_tokens: 230, completion_tokens: 90, total_tokens: 320 };
const SYSTEM_FINGERPRINT = 'fp_0123456789';

/**
 * Requests and responses of chat completions. A stream ends with finish, usage and `[DONE]` frames.
 */
export const chatTraffic: Traffic = {
  path: '/v1/chat/completions',
  headers: {},
  makeRequest: ({ model, isStreamed, isPersonal = false, bodyBytes }) =>
    fillBody(bodyBytes, (text) =>
      JSON.stringify({
        model,
        temperature: 0.7,
        ...(isStreamed ? { stream: true } : {}),
        messages: [
          { role: 'system', content: SYSTEM_TEXT },
          ...makeHistory(bodyBytes),
          { role: 'user', content: toQuestionStart({ isPersonal }) + text },
        ],
      }),
    ),
  makeAnswer: (bytes) =>
    fillBody(bytes, (content) =>
      JSON.stringify({
        id: ID,
        object: 'chat.completion',
        created: CREATED,
        model: MODEL,
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage: USAGE,
        system_fingerprint: SYSTEM_FINGERPRINT,
      }),
    ),
  makeFrames: (texts) => ({
    opening: [],
    texts: Array.from({ length: texts }, (_, position) =>
      toChoice({ ...(position === 0 ? { role: 'assistant' } : {}), content: ' advice' }, null),
    ),
    closing: [toChoice({}, 'stop'), toFrame({ choices: [], usage: USAGE }), 'data: [DONE]\n\n'],
  }),
};

const toChoice = (delta: object, finish: string | null): string =>
  toFrame({ choices: [{ index: 0, delta, finish_reason: finish }] });

const toFrame = (rest: object): string =>
  `data: ${JSON.stringify({
    id: ID,
    object: 'chat.completion.chunk',
    created: CREATED,
    model: MODEL,
    system_fingerprint: SYSTEM_FINGERPRINT,
    ...rest,
  })}\n\n`;
