import { chatFrame as data, messageFrame, messageFrames } from './provider-answers.ts';

export const delta = (content: object, otherFields: object = {}): object => ({
  id: 'c',
  choices: [{ index: 0, delta: content, finish_reason: null }],
  ...otherFields,
});
export const ROLE = data(delta({ role: 'assistant', content: '' }));
export const TEXT = data(delta({ content: 'Grüße 😀 ' }));
export const MORE_TEXT_FRAME = data(
  delta({ content: 'and more' }, { unknown: { deep: [1, null] } }),
);
export const STOP_FRAME = data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
export const USAGE = data({
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
});
export const PIECES = [
  [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }],
  [{ index: 0, function: { arguments: '{"a":' } }],
  [{ index: 0, function: { arguments: '"é"}' } }],
].map((toolCalls) => data(delta({ tool_calls: toolCalls })));
export const SECOND_CHOICE_FRAME = data({
  choices: [{ index: 1, delta: { content: 'other choice' } }],
});
export const ERROR = data({ error: { message: 'overloaded' } });
export const MESSAGE_ERROR = messageFrame({ type: 'error' });
/**
 * Frames of several kinds of content blocks, with multi-byte characters, escapes and surrogate
 * pairs, which are easily damaged when split.
 */
export const BLOCKS = messageFrames({
  blocks: [
    { type: 'thinking', thinking: ['Hm ', '😀'], signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'eHl6' },
    { type: 'text', text: ['Grüße ', '\u2028"\\', ' 😀'] },
    { type: 'tool_use', id: 'toolu_a', name: 'find', input: ['{"q":', '"é"}'] },
    { type: 'tool_use', id: 'toolu_b', name: 'now', input: '' },
  ],
});
