import { describe, expect, it } from '@jest/globals';
import { toOutcome } from './read-finished-debate.ts';
import type { DebateEvent } from './read-finished-debate.ts';

const makeAnswerEvent = (agentId: string): DebateEvent => ({
  event: 'agent.completed',
  data: { round: 1, agentId },
});

const EVENTS: DebateEvent[] = [
  { event: 'round.started', data: { round: 1 } },
  makeAnswerEvent('agt_1'),
  makeAnswerEvent('agt_2'),
  { event: 'done', data: { seq: 9, round: 0, convergenceScore: 1 } },
];

/** Returns the outcome of a debate whose ids contain `id` and whose answer is `content`. */
const outcome = (id: string, { events = EVENTS, content = 'No.' } = {}): string => {
  const message = { id: `msg_${id}`, debateId: `dbt_${id}`, content, proofs: [`pf_${id}`] };
  const createdAt = `2026-11-22T10:00:00.${id.padEnd(3, '0')}Z`;
  const user = { id: `msg_${id}u`, content: `Question ${id}: a shop?`, createdAt };
  return toOutcome({ conversation: { messages: [user, message], debates: [] }, events });
};

describe('toOutcome', () => {
  it('returns equal texts for two debates with the same course', () => {
    expect(outcome('12')).toBe(outcome('7'));
  });

  it('returns equal texts if the agents of a round answer in another order', () => {
    expect(outcome('7', { events: [0, 2, 1, 3].map((at) => EVENTS[at]!) })).toBe(outcome('7'));
  });

  it.each<[string, { events?: DebateEvent[]; content?: string }]>([
    ['a message differs', { content: 'Yes.' }],
    ['an answer is reported twice', { events: EVENTS.toSpliced(1, 0, makeAnswerEvent('agt_1')) }],
    ['an answer is reported before its round', { events: [1, 0, 2, 3].map((at) => EVENTS[at]!) }],
    ['the score differs', { events: EVENTS.with(3, { event: 'done', data: {} }) }],
  ])('returns another text if %s', (_what, change) => {
    expect(outcome('7', change)).not.toBe(outcome('7'));
  });
});
