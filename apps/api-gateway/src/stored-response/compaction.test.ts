import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@witan/dialects';
import { fromCompaction, messagesOfUser, toCompaction, toSummaryInput } from './compaction.ts';

const question: JsonObject = { role: 'user', content: 'Weather?' };
const answer: JsonObject = { type: 'message', role: 'assistant', content: 'Snow.' };
const call = { type: 'function_call', call_id: 'c', name: 'look', arguments: '{"city":"Oslo"}' };
const result = { type: 'function_call_output', call_id: 'c', output: '-3' };
const parts = [{ type: 'input_text', text: '-3' }];

describe('a compacted conversation', () => {
  it('keeps what the user said, without earlier summaries', () => {
    const summary = fromCompaction(toCompaction('x', 'Before.'))!;
    expect(messagesOfUser([summary, question, answer, call, result])).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
    ]);
  });

  it('is summarized from texts, because no tool is declared', () => {
    const input = toSummaryInput([question, call, result, { ...result, output: parts }, answer]);
    expect(input.map(({ type }) => type)).not.toContain('function_call');
    expect(input.slice(0, -1)).toMatchObject([
      question,
      { role: 'assistant', content: 'Call of the tool look: {"city":"Oslo"}' },
      { role: 'user', content: [{ text: 'Result of the tool: -3' }] },
      { role: 'user', content: parts },
      answer,
    ]);
    expect(JSON.stringify(input.at(-1))).toContain('Summarize this conversation');
  });
});
