import { describe, expect, it } from '@jest/globals';
import type { Answer, Round } from './debate-state.ts';
import { absencesOf, labelOf, movesOn, positionIn } from './stance.ts';

const done = (stance?: number): Answer => ({
  status: 'done',
  message: {
    id: 'msg_1',
    senderType: 'agent',
    content: '',
    createdAt: '2026-01-01T00:00:00.000Z',
    debateId: 'dbt_1',
    proofs: [],
    stances: stance === undefined ? [] : [{ issueId: 'i1', stance, confidence: 1 }],
  },
});
const ANN = { id: 'agt_1', name: 'Ann' };
const BEN = { id: 'agt_2', name: 'Ben' };
const ROUNDS: Round[] = [
  { round: 1, answers: { agt_1: done(-1), agt_2: done() }, score: undefined },
  { round: 2, answers: { agt_1: { status: 'absent', reason: 'timeout' } }, score: undefined },
  {
    round: 3,
    answers: { agt_1: done(0.5), agt_2: { status: 'absent', reason: 'refused' } },
    score: undefined,
  },
];

describe('stances', () => {
  it.each([
    [-1, 'Against'],
    [-0.5, 'Leans against'],
    [0, 'Undecided'],
    [0.5, 'Leans for'],
    [1, 'For'],
    [0.6, 'Leans for'],
    [7, 'For'],
  ])('%d is called "%s"', (stance, label) => {
    expect(labelOf(stance)).toBe(label);
  });

  it('are compared with the last one before, not with that of an absent round', () => {
    const at = (round: number) => positionIn(ROUNDS, { agentId: 'agt_1', issueId: 'i1', round });
    expect([1, 2, 3].map(at)).toEqual([
      { stance: -1, before: undefined },
      { stance: undefined, before: -1 },
      { stance: 0.5, before: -1 },
    ]);
  });

  it('are listed for the agents that took one', () => {
    const move = { agent: ANN, stance: 0.5, first: -1, isAbsent: false };
    expect(movesOn(ROUNDS, [ANN, BEN], 'i1')).toEqual([move]);
    const absent = { agent: ANN, stance: -1, first: -1, isAbsent: true };
    expect(movesOn(ROUNDS.slice(0, 2), [ANN, BEN], 'i1')).toEqual([absent]);
  });

  it('have an absence only for the last round', () => {
    expect(absencesOf(ROUNDS, [ANN, BEN])).toEqual([{ agent: BEN, reason: 'refused' }]);
  });
});
