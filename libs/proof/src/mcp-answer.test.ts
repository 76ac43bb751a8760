import { describe, expect, it } from '@jest/globals';
import { failureOf } from '../test/reason-of.ts';
import { parseSavedAnswer, readSavedAnswer } from './saved-answer.ts';

const bytes = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const TEXT = [{ type: 'text', text: 'Hire.' }];
const CHOICES = [{ index: 0, content: 'Hire.', toolCalls: [] }];
const RESULT = { resultType: 'complete', content: TEXT, structuredContent: { content: 'Hire.' } };
const DEBATE = {
  resultType: 'complete',
  content: TEXT,
  structuredContent: { synthesis: { content: 'Hire.' }, messages: [] },
};
const response = (result: object) => ({ jsonrpc: '2.0', id: 1, result });
const PROGRESS = { jsonrpc: '2.0', method: 'notifications/progress', params: {} };
const frame = (event: object) => `event: message\ndata: ${JSON.stringify(event)}\n\n`;

describe('a saved result of an MCP tool', () => {
  it.each<[string, unknown]>([
    ['a result', RESULT],
    ['a JSON-RPC response', response(RESULT)],
    ['a debate', response(DEBATE)],
    ['a task', response({ taskId: 'dbt_1', status: 'completed', result: DEBATE })],
    ['the result of a task', { taskId: 'dbt_1', status: 'completed', result: DEBATE }],
    ['a client of an earlier revision', { content: TEXT, structuredContent: { content: 'Hire.' } }],
    ['a stream', frame(PROGRESS) + frame(response(RESULT))],
    ['text alone', response({ resultType: 'complete', content: TEXT })],
  ])('has the text of %s', (_name, saved) => {
    expect(parseSavedAnswer(bytes(saved))).toEqual(CHOICES);
  });

  it('is refused if the shown text is not the structured one', () => {
    const forged = { ...RESULT, content: [{ type: 'text', text: 'Fire.' }] };
    expect(failureOf(() => parseSavedAnswer(bytes(response(forged))))).toMatchObject({
      reason: 'answer',
    });
  });

  it('is refused if a block has something else than text', () => {
    const numbered = { ...RESULT, content: [...TEXT, { type: 'text', text: 5 }] };
    expect(failureOf(() => parseSavedAnswer(bytes(numbered)))?.reason).toBe('answer');
  });

  it('has no text if the call failed', () => {
    const failed = { isError: true, content: TEXT };
    expect(parseSavedAnswer(bytes(response(failed)))).toEqual([]);
  });

  it('names what no certificate covers', () => {
    const more = { ...RESULT, structuredContent: { content: 'Hire.', agentName: 'Ann' } };
    expect(readSavedAnswer(bytes(more)).notCovered).toEqual([
      'resultType',
      'structuredContent.agentName',
    ]);
  });
});
