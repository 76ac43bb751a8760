import { describe, expect, it } from '@jest/globals';
import { applyChatEvent, failTurn, startTurn, stopTurn, toNotes } from './chat-turn.ts';
import type { ChatAnswer, ChatTurn } from './chat-turn.ts';

const TOOL = { id: 'call_1', name: 'weather', status: 'ok' };
const EVENTS = [
  { event: 'tool', content: TOOL },
  { event: 'delta', content: { content: 'It ' } },
  { event: 'delta', content: { content: 'rains.' } },
];

const apply = (events: readonly { event: string; content: unknown }[]): ChatTurn =>
  events.reduce(applyChatEvent, startTurn({ message: 'Weather?' }));

describe('a turn of a chat', () => {
  it('waits until the first text arrives', () => {
    expect(apply([])).toMatchObject({ status: 'waiting', text: '', toolCalls: [] });
    expect(apply(EVENTS.slice(0, 1))).toMatchObject({ status: 'waiting', toolCalls: [TOOL] });
  });

  it('collects the text and the tools that were called', () => {
    const turn = apply(EVENTS);
    expect(turn).toMatchObject({ status: 'writing', text: 'It rains.', toolCalls: [TOOL] });
  });

  it('does not change with an unknown event', () => {
    const turn = apply(EVENTS);
    expect(applyChatEvent(turn, { event: 'mood', content: {} })).toBe(turn);
  });

  it('keeps its question and text if it fails or is stopped', () => {
    const unchanged = { text: 'It rains.', request: { message: 'Weather?' } };
    const error = new Error('late');
    expect(failTurn(apply(EVENTS), error)).toMatchObject({ ...unchanged, status: 'failed', error });
    expect(stopTurn(apply(EVENTS))).toMatchObject({ ...unchanged, status: 'stopped' });
  });

  it('has notes without thoughts unless there are some', () => {
    const answer = {
      content: 'x',
      toolCalls: [],
      memoriesSaved: [],
      tokenUsage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
      finishReason: 'stop',
      proofs: ['pf_1'],
    } as unknown as ChatAnswer;
    expect(Object.keys(toNotes(answer))).not.toContain('thoughts');
    expect(toNotes({ ...answer, thoughts: 'hm' })).toMatchObject({ thoughts: 'hm' });
    expect(toNotes(answer)).not.toHaveProperty('content');
  });
});
