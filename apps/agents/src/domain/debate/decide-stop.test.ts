import { describe, expect, it } from '@jest/globals';
import type { Answer, Round } from './debate.ts';
import { decideStop } from './decide-stop.ts';
import type { Standing } from './decide-stop.ts';

const RULES = { threshold: 0.85, maxRounds: 3, tokenBudget: 10_000 };

const answer = (agentId: string, stance: number | string): Answer => ({
  agentId,
  agentName: agentId,
  content: String(stance),
  position: '',
  stances: typeof stance === 'number' ? [{ issueId: 'i1', stance, confidence: 1 }] : [],
  keyPoints: [],
  changedMind: false,
  changeReason: '',
  wouldChangeMind: '',
  levers: {},
  isStale: false,
  proofIds: [],
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 500 },
});

const round = (stances: readonly (number | string)[], convergenceScore = 0.4): Round => ({
  roundNumber: 1,
  answers: stances.map((stance, index) => answer(`agt_${index}`, stance)),
  absences: [],
  convergenceScore,
  report: {
    method: 'stance',
    participation: 1,
    blocs: [],
    textSimilarity: 0,
    conformityFlips: 0,
    consensus: undefined,
  },
});

const stop = (rounds: readonly Round[], more: Partial<Standing> = {}) =>
  decideStop({ rounds, agentCount: 3, rules: RULES, tokens: 0, isPastDeadline: false, ...more });

describe('a debate', () => {
  it('goes on while there is something to be moved', () => {
    expect(stop([round([1, -1, 1])])).toBeUndefined();
    expect(stop([round([1, -1, 1]), round([1, -0.5, 1])])).toBeUndefined();
  });

  it('stops when the council agrees, from the threshold on', () => {
    expect(stop([round([1, 1, 1], 0.85)])).toBe('converged');
    expect(stop([round([1, 1, 1], 0.8499)])).toBeUndefined();
  });

  it('does not stop for the agreement of fewer than the quorum', () => {
    expect(stop([round([1], 1)], { agentCount: 4 })).toBeUndefined();
  });

  it('stops when nobody moved, whatever was said', () => {
    expect(stop([round([1, -1, 1]), round([1, -1, 1])])).toBe('stable');
    expect(stop([round(['yes', 'no']), round(['yes', 'no'])])).toBe('stable');
    expect(stop([round(['yes', 'no']), round(['yes', 'not at all'])])).toBeUndefined();
  });

  it('does not take somebody who is missing for somebody who did not move', () => {
    expect(stop([round([1, -1, 1]), round([1, -1])])).toBeUndefined();
  });

  it('stops when it is where it was before', () => {
    const rules = { ...RULES, maxRounds: 5 };
    const rounds = [round([1, -1]), round([-1, 1]), round([1, -1])];
    expect(stop(rounds, { rules, agentCount: 2 })).toBe('oscillating');
  });

  it('stops for its rounds, its deadline and its budget', () => {
    const rounds = [round([1, -1, 1]), round([1, 0, 1]), round([1, -0.5, 1])];
    expect(stop(rounds)).toBe('rounds');
    expect(stop(rounds.slice(0, 1), { isPastDeadline: true })).toBe('deadline');
    expect(stop(rounds.slice(0, 1), { tokens: 8_500 })).toBeUndefined();
    expect(stop(rounds.slice(0, 1), { tokens: 8_501 })).toBe('budget');
  });

  it('of one alone is one round', () => {
    expect(stop([round([1], 1)], { agentCount: 1 })).toBe('single');
  });
});
