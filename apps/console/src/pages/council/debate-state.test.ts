import { describe, expect, it } from '@jest/globals';
import type { ServerEvent } from '../../api/read-events.ts';
import { applyEvent, NEW_DEBATE } from './debate-state.ts';
import type { DebateState } from './debate-state.ts';

let seq = 0;
const toEvent = (event: string, round: number, data: object = {}): ServerEvent => {
  seq += 1;
  return {
    id: `dbt_1:${seq}`,
    event,
    data: JSON.stringify({ debateId: 'dbt_1', seq, round, ...data }),
  };
};

const AGENTS = [
  { id: 'agt_1', name: 'Ann' },
  { id: 'agt_2', name: 'Ben' },
];
const messageOf = (agentId: string, roundNumber: number, more: object = {}) => ({
  id: `msg_${agentId}_${roundNumber}`,
  senderType: 'agent',
  agentId,
  roundNumber,
  content: `${agentId} in ${roundNumber}`,
  ...more,
});
const SYNTHESIS = { content: 'Hire.', absentAgents: [] };

const STALE = messageOf('agt_2', 2, { stale: true });
const DEBATE = [
  toEvent('debate.started', 0, { agents: AGENTS }),
  toEvent('frame', 0, { issues: [{ id: 'i1', proposition: 'Hire.', weight: 1 }] }),
  toEvent('round.started', 1),
  toEvent('agent.delta', 1, { agentId: 'agt_1', content: 'I wo' }),
  toEvent('agent.delta', 1, { agentId: 'agt_2', content: 'No' }),
  toEvent('agent.delta', 1, { agentId: 'agt_1', content: 'uld.' }),
  toEvent('agent.completed', 1, { agentId: 'agt_2', message: messageOf('agt_2', 1) }),
  toEvent('agent.completed', 1, { agentId: 'agt_1', message: messageOf('agt_1', 1) }),
  toEvent('round.completed', 1, { roundNumber: 1, convergenceScore: 0.4 }),
  toEvent('round.started', 2),
  toEvent('agent.failed', 2, { agentId: 'agt_2', agentName: 'Ben', reason: 'timeout' }),
  toEvent('agent.completed', 2, { agentId: 'agt_1', message: messageOf('agt_1', 2) }),
  toEvent('round.completed', 2, { roundNumber: 2, convergenceScore: 0.7 }),
  toEvent('synthesis.delta', 0, { content: 'Hi' }),
  toEvent('synthesis.completed', 0, { message: { id: 'msg_s', proofs: [] }, synthesis: SYNTHESIS }),
  toEvent('done', 0, { messages: [messageOf('agt_1', 2), STALE], synthesis: SYNTHESIS }),
];

const apply = (events: readonly ServerEvent[], from: DebateState = NEW_DEBATE): DebateState =>
  events.reduce(applyEvent, from);

describe('the state of a debate', () => {
  it('has the answers of each round, the score and the synthesis', () => {
    const { phase, rounds, synthesis, synthesisText } = apply(DEBATE);
    expect({ phase, synthesis, synthesisText }).toEqual({
      phase: 'done',
      synthesis: SYNTHESIS,
      synthesisText: 'Hire.',
    });
    expect(rounds.map(({ round, score }) => [round, score?.convergenceScore])).toEqual([
      [1, 0.4],
      [2, 0.7],
    ]);
    expect(rounds[0]!.answers['agt_1']).toEqual({
      status: 'done',
      message: messageOf('agt_1', 1),
    });
  });

  it('shows a text while it is written', () => {
    const { answers } = apply(DEBATE.slice(0, 6)).rounds[0]!;
    expect(answers).toEqual({
      agt_1: { status: 'writing', text: 'I would.' },
      agt_2: { status: 'writing', text: 'No' },
    });
  });

  it('names who is absent, unless an earlier answer was carried over', () => {
    expect(apply(DEBATE.slice(0, -1)).rounds[1]!.answers['agt_2']).toEqual({
      status: 'absent',
      reason: 'timeout',
    });
    expect(apply(DEBATE).rounds[1]!.answers['agt_2']).toEqual({ status: 'done', message: STALE });
  });

  it.each(DEBATE.map((_, index) => index))(
    'is the same if the stream is read again from the beginning after event %i',
    (index) => {
      expect(apply(DEBATE, apply(DEBATE.slice(0, index)))).toEqual(apply(DEBATE));
    },
  );

  it.each(DEBATE.map((_, index) => index))(
    'is the same at its end without the pieces of text that are sent once, read from event %i',
    (index) => {
      const stored = DEBATE.slice(index).filter(({ event }) => !event.endsWith('.delta'));
      expect(apply(stored, apply(DEBATE.slice(0, index)))).toEqual(apply(DEBATE));
    },
  );

  it('ignores a piece of text that arrives after the complete answer', () => {
    const before = apply(DEBATE.slice(0, 8));
    const late = toEvent('agent.delta', 1, { agentId: 'agt_1', content: 'late' });
    expect(applyEvent(before, late).rounds).toEqual(before.rounds);
  });

  it('does not change with an unknown event', () => {
    const state = apply(DEBATE.slice(0, 3));
    expect(applyEvent(state, toEvent('agent.nodded', 1))).toBe(state);
    expect(applyEvent(state, toEvent('constructor', 1))).toBe(state);
  });

  it('keeps what was said if the debate fails', () => {
    const error = { code: 'debate_failed', message: 'Too few.' };
    const state = applyEvent(apply(DEBATE.slice(0, 9)), toEvent('error', 0, { error }));
    expect([state.phase, state.error, state.rounds.length]).toEqual(['failed', error, 1]);
  });
});
