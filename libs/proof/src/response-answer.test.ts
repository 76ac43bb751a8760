import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerSamples } from '../test/vector-file.ts';
import { answerCommitmentText, commitAnswer } from './answer.ts';
import { createResponseAnswer } from './response-answer.ts';

function fromChunks(events: readonly unknown[]) {
  const answer = createResponseAnswer();
  for (const event of events) answer.chunk(event);
  return answer;
}

function fromBody(body: unknown) {
  const answer = createResponseAnswer();
  answer.body(body);
  return answer;
}

const ended = (status: unknown, reason?: string) => ({
  object: 'response',
  status,
  output: [],
  incomplete_details: { reason },
});
const CALL = { type: 'function_call', call_id: 'call_a', name: 'f', arguments: '{}' };
const delta = (output_index: number, piece: unknown) => ({
  type: 'response.output_text.delta',
  output_index,
  content_index: 0,
  delta: piece,
});

describe('createResponseAnswer', () => {
  it.each(answerSamples('responses'))(
    'reads the same choices from %s, plain and streamed',
    (_name, { body, chunks, choices, text: hashedText, sha256 }) => {
      expect(fromBody(body).choices()).toEqual(choices);
      expect(fromChunks(chunks).choices()).toEqual(choices);
      expect(answerCommitmentText(choices)).toBe(hashedText);
      expect(commitAnswer(choices)).toBe(sha256);
    },
  );

  it.each([
    [ended('completed'), 'stop'],
    [{ ...ended('completed'), output: [CALL] }, 'tool_calls'],
    [ended('incomplete', 'max_output_tokens'), 'length'],
    [ended('incomplete', 'content_filter'), 'content_filter'],
    [ended('incomplete', 'a reason of tomorrow'), 'length'],
    [ended('failed'), 'error'],
    [ended('cancelled'), 'error'],
    [ended('in_progress'), undefined],
    [ended(undefined), undefined],
  ])('reads the finish reason of %j: %s', (response, reason) => {
    expect(fromBody(response).finishReason).toBe(reason);
    const type = `response.${String(response.status)}`;
    expect(fromChunks([{ type, response }]).finishReason).toBe(reason);
  });

  it('reads the summary of a compacted conversation, and nothing that the user said', () => {
    const content = [{ type: 'output_text', text: 'Said by the user' }];
    const output = [
      { type: 'message', role: 'user', content },
      { type: 'compaction', encrypted_content: 'Z0FBQUFB' },
      { type: 'compaction', encrypted_content: 'witan-summary:They ask about Oslo.' },
    ];
    expect(fromBody({ object: 'response.compaction', output }).choices()).toEqual([
      { index: 0, content: 'They ask about Oslo.', toolCalls: [] },
    ]);
  });

  it('does not let a later status replace an error', () => {
    const answer = fromChunks([
      { type: 'error', message: 'gone' },
      { type: 'response.completed', response: ended('completed') },
    ]);
    expect(answer.finishReason).toBe('error');
  });

  it('reads items in the order of the output, whatever the order of their events', () => {
    const events = [delta(2, 'C'), delta(0, 'A'), { ...delta(2, 'D'), content_index: 1 }];
    expect(fromChunks(events).choices()[0]?.content).toBe('ACD');
  });

  it('does not read a text twice that its deltas and the final response have', () => {
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }];
    const answer = fromChunks([
      delta(0, 'H'),
      delta(0, 'i'),
      { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hi' },
      { type: 'response.completed', response: { ...ended('completed'), output } },
    ]);
    expect(answer.choices()[0]?.content).toBe('Hi');
  });

  it('has no choice before a response begins', () => {
    expect(fromChunks([{ type: 'error', message: 'gone' }]).choices()).toEqual([]);
    expect(fromBody({ error: { message: 'gone' } }).choices()).toEqual([]);
    expect(fromBody({ error: { message: 'gone' } }).finishReason).toBe('error');
  });

  it('reads the reported usage', () => {
    const usage = {
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 8,
    };
    expect(fromBody({ ...ended('completed'), usage }).usage).toEqual({
      promptTokens: 5,
      completionTokens: 3,
      totalTokens: 8,
      cachedTokens: 2,
      cacheWriteTokens: 1,
      reasoningTokens: 0,
    });
  });

  it('counts what it stores', () => {
    const before = fromChunks([delta(0, '')]).contentBytes;
    expect(fromChunks([delta(0, 'Zoë')]).contentBytes - before).toBe(4);
  });

  it('accepts any input', () => {
    const type = fc.constantFrom(
      ...['response.completed', 'response.output_text.delta', 'response.output_item.done', 'error'],
      ...['response.content_part.done', 'response.function_call_arguments.delta'],
    );
    const event = fc.tuple(type, fc.jsonValue()).map(([name, value]) => ({
      type: name,
      response: value,
      item: value,
      part: value,
      delta: value,
      output_index: value,
    }));
    fc.assert(
      fc.property(fc.array(fc.oneof(event, fc.jsonValue())), fc.jsonValue(), (events, body) => {
        expect(() => fromChunks(events).choices()).not.toThrow();
        expect(() => fromBody(body).choices()).not.toThrow();
      }),
    );
  });
});
