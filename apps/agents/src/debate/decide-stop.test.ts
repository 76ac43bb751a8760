import { describe, expect, it } from '@jest/globals';
import { answerOf } from '../../test/answer-of.ts';
import { roundOf } from '../../test/divided-council.ts';
import type { Answer, Round } from './debate.ts';
import { decideStop } from './decide-stop.ts';
import type { DebateProgress } from './decide-stop.ts';

const RULES = { threshold: 0.85, maxRounds: 3, tokenBudget: 10_000 };

const USAGE = { promptTokens: 0, completionTokens: 0, totalTokens: 500 };

/**
 * Returns an answer with this stance or, if `stance` is a string, an answer without a stance and
 * with this content.
 */
const answer = (agentId: string, stance: number | string): Answer =>
  answerOf(agentId, [typeof stance === 'number' ? stance : undefined], {
    content: String(stance),
    usage: USAGE,
  });

const round = (stances: readonly (number | string)[], convergenceScore = 0.4): Round =>
  roundOf(
    stances.map((stance, index) => answer(`agt_${index}`, stance)),
    convergenceScore,
  );

const decide = (rounds: readonly Round[], more: Partial<DebateProgress> = {}) =>
  decideStop({ rounds, agentCount: 3, rules: RULES, tokens: 0, isPastDeadline: false, ...more });

describe('decideStop', () => {
  it('continues while stances change or no earlier round exists', () => {
    expect(decide([round([1, -1, 1])])).toBeUndefined();
    expect(decide([round([1, -1, 1]), round([1, -0.5, 1])])).toBeUndefined();
  });

  it('stops when the score reaches the threshold', () => {
    expect(decide([round([1, 1, 1], 0.85)])).toBe('converged');
    expect(decide([round([1, 1, 1], 0.8499)])).toBeUndefined();
  });

  it('ignores agreement among fewer agents than the quorum', () => {
    expect(decide([round([1], 1)], { agentCount: 4 })).toBeUndefined();
    expect(decide([round([1, 1, 'x', 'y', 'z'], 1)], { agentCount: 5 })).toBeUndefined();
    expect(decide([round([1, 1, 1, 'y', 'z'], 1)], { agentCount: 5 })).toBe('converged');
    expect(decide([round(['x', 'x', 'x'], 1)])).toBeUndefined();
  });

  it('stops when no agent changed its standpoint', () => {
    expect(decide([round([1, -1, 1]), round([1, -1, 1])])).toBe('stable');
    expect(decide([round(['yes', 'no']), round(['yes', 'no'])])).toBe('stable');
    expect(decide([round(['yes', 'no']), round(['yes', 'not at all'])])).toBeUndefined();
  });

  it('does not treat an absent agent as unchanged', () => {
    expect(decide([round([1, -1, 1]), round([1, -1])])).toBeUndefined();
  });

  it.each([
    ['one', 1, 'stable'],
    ['too many for a quorum', 2, undefined],
  ])(
    'treats a round with stale answers as unchanged only with a quorum of fresh ones: %s',
    (_count, staleCount, reason) => {
      const { answers, ...rest } = round([1, -1, 1]);
      const partlyStaleAnswers = answers.map((one, index) => ({
        ...one,
        isStale: index < staleCount,
      }));
      expect(
        decide([
          { answers, ...rest },
          { answers: partlyStaleAnswers, ...rest },
        ]),
      ).toBe(reason);
    },
  );

  it('stops when the agents return to the standpoints of an earlier round', () => {
    const rules = { ...RULES, maxRounds: 5 };
    const rounds = [round([1, -1]), round([-1, 1]), round([1, -1])];
    expect(decide(rounds, { rules, agentCount: 2 })).toBe('oscillating');
  });

  it('stops at the limit of rounds, the deadline and the token budget', () => {
    const rounds = [round([1, -1, 1]), round([1, 0, 1]), round([1, -0.5, 1])];
    expect(decide(rounds)).toBe('rounds');
    expect(decide(rounds.slice(0, 1), { isPastDeadline: true })).toBe('deadline');
    expect(decide(rounds.slice(0, 1), { tokens: 8_500 })).toBeUndefined();
    expect(decide(rounds.slice(0, 1), { tokens: 8_501 })).toBe('budget');
  });

  it('stops after one round of a single agent', () => {
    expect(decide([round([1], 1)], { agentCount: 1 })).toBe('single');
  });
});
