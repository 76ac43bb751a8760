import { describe, expect, it } from '@jest/globals';
import { createMessageAnswer } from '@witan/proof';
import type { JsonObject } from '../json/json-value.ts';
import { createAnswerNormalizer } from './normalize-answer.ts';

const START = { type: 'message_start', message: { content: [] } };
const block = (index: number | undefined, text: string): JsonObject[] => [
  { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
  { type: 'content_block_stop', index },
];

const normalize = (events: readonly JsonObject[]): JsonObject[] => {
  const normalizer = createAnswerNormalizer();
  return events.flatMap((event) => normalizer.chunk(event));
};

const answerOf = (events: readonly JsonObject[]) => {
  const answer = createMessageAnswer();
  for (const event of events) answer.chunk(event);
  return { contradiction: answer.contradiction, content: answer.choices()[0]?.content };
};

describe('the blocks of a message', () => {
  it.each([
    ['with gaps', [1, 5, 9]],
    ['from the last to the first', [2, 1, 0]],
  ])('are numbered in the order in which they start: %s', (_name, indexes) => {
    const events = [START, ...indexes.flatMap((index) => block(index, `${index}`))];
    const normalized = normalize(events);
    expect(normalized.map(({ index }) => index)).toEqual([undefined, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
    expect(answerOf(events)).toMatchObject({ contradiction: expect.stringContaining('gap') });
    expect(answerOf(normalized)).toEqual({ contradiction: undefined, content: indexes.join('') });
  });

  it.each([
    ['without gaps', [START, ...block(0, 'a'), ...block(1, 'b')]],
    [
      'behind those of the start',
      [{ ...START, message: { content: [{ type: 'text', text: 'a' }] } }, ...block(1, 'b')],
    ],
  ])('are the same objects: %s', (_name, events) => {
    for (const [position, event] of normalize(events).entries()) {
      expect(event).toBe(events[position]);
    }
  });

  it('still contradict each other if one starts twice', () => {
    const events = [START, ...block(3, 'a'), ...block(3, 'b')];
    expect(answerOf(normalize(events)).contradiction).toContain('content_block_start');
  });
});
