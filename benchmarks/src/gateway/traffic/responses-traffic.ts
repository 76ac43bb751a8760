import { fillBody, makeHistory, toQuestionStart, SYSTEM_TEXT } from './history.ts';
import type { Traffic } from './history.ts';

const MODEL = 'gpt-bench';
const ITEM_ID = 'msg_0123456789abcdefghijklmn';
const USAGE = {
  input_tokens: 230,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 90,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 320,
};
const PLACE = { item_id: ITEM_ID, output_index: 0, content_index: 0 };
const ADVICE = ' advice';

const toPart = (text: string) => ({ type: 'output_text', text, annotations: [] });
const toItem = (status: string, content: object[]) => ({
  id: ITEM_ID,
  type: 'message',
  status,
  role: 'assistant',
  content,
});
const toResponse = (status: string, output: object[], usage: object | null) => ({
  id: 'resp_0123456789abcdefghijklmn',
  object: 'response',
  created_at: 1_767_225_600,
  status,
  model: MODEL,
  output,
  usage,
});

/**
 * Requests and responses of the responses dialect. A stream has one message with one text; its
 * events are numbered.
 */
export const responsesTraffic: Traffic = {
  path: '/v1/responses',
  headers: {},
  makeRequest: ({ model, isStreamed, isPersonal = false, bodyBytes }) =>
    fillBody(bodyBytes, (text) =>
      JSON.stringify({
        model,
        store: false,
        ...(isStreamed ? { stream: true } : {}),
        instructions: SYSTEM_TEXT,
        input: [
          ...makeHistory(bodyBytes),
          { role: 'user', content: toQuestionStart({ isPersonal }) + text },
        ],
      }),
    ),
  makeAnswer: (bytes) =>
    fillBody(bytes, (text) =>
      JSON.stringify(toResponse('completed', [toItem('completed', [toPart(text)])], USAGE)),
    ),
  makeFrames: (texts) => {
    const text = ADVICE.repeat(texts);
    const done = toItem('completed', [toPart(text)]);
    const begun = { response: toResponse('in_progress', [], null) };
    const item = { output_index: 0, item: toItem('in_progress', []) };
    const opening: [string, object][] = [
      ['response.created', begun],
      ['response.in_progress', begun],
      ['response.output_item.added', item],
      ['response.content_part.added', { ...PLACE, part: toPart('') }],
    ];
    const deltas = Array.from({ length: texts }, (): [string, object] => [
      'response.output_text.delta',
      { ...PLACE, delta: ADVICE, logprobs: [] },
    ]);
    const closing: [string, object][] = [
      ['response.output_text.done', { ...PLACE, text, logprobs: [] }],
      ['response.content_part.done', { ...PLACE, part: toPart(text) }],
      ['response.output_item.done', { output_index: 0, item: done }],
      ['response.completed', { response: toResponse('completed', [done], USAGE) }],
    ];
    const frames = [...opening, ...deltas, ...closing].map(toFrame);
    return {
      opening: frames.slice(0, opening.length),
      texts: frames.slice(opening.length, opening.length + texts),
      closing: [...frames.slice(opening.length + texts), 'data: [DONE]\n\n'],
    };
  },
};

const toFrame = ([type, rest]: [string, object], sequence_number: number): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...rest })}\n\n`;
