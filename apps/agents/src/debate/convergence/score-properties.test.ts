import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerOf } from '../../../test/answer-of.ts';
import type { Answer, Issue } from '../debate.ts';
import { CHANCE_LEVEL, comparePairs, countedAnswers, type Pair } from './compare-pairs.ts';
import { scoreRound } from './score-round.ts';

const PROPERTY_OPTIONS = { numRuns: 2000, seed: 9 };
/**
 * Number of random councils. More than `CASE_COUNT` of them must satisfy the premise of the
 * property.
 */
const DRAW_COUNT = 20_000;
const CASE_COUNT = 10_000;

const GRID = [-1, -0.5, 0, 0.5, 1];
const WORDS = ['plant', 'price', 'hire', 'not', 'spring', 'the', 'debt', 'open', 'no', 'sell'];

const stance = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...GRID) }, fc.constant(undefined));
const texts = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => words.join(' ')),
);

const councils = fc.record({
  members: fc.array(
    fc.record({ stances: fc.array(stance, { minLength: 0, maxLength: 4 }), content: texts }),
    { minLength: 2, maxLength: 7 },
  ),
  weights: fc.array(fc.constantFrom(0.1, 0.25, 0.3, 1, 2), { minLength: 4, maxLength: 4 }),
});

type Council = { answers: Answer[]; issues: Issue[] };

const toCouncil = (drawn: {
  members: { stances: (number | undefined)[]; content: string }[];
  weights: number[];
}): Council => ({
  answers: drawn.members.map(({ stances, content }, index) =>
    answerOf(`agt_${index}`, stances, { content }),
  ),
  issues: drawn.weights.map((weight, index) => ({ id: `i${index + 1}`, proposition: '', weight })),
});

const score = ({ answers, issues }: Council) =>
  scoreRound({ answers, issues, askedCount: answers.length, conformityFlips: 0 });

const centralityOf = (pairs: readonly Pair[], agentId: string): number =>
  pairs
    .filter(({ one, other }) => one.agentId === agentId || other.agentId === agentId)
    .reduce((sum, pair) => sum + pair.score, 0);

describe('scoreRound with any council', () => {
  it('returns figures from 0 to 1 and blocs that contain every agent', () => {
    fc.assert(
      fc.property(councils, (drawn) => {
        const { convergenceScore, report } = score(toCouncil(drawn));
        const { participation, textSimilarity, consensus = 0 } = report;
        for (const figure of [convergenceScore, participation, textSimilarity, consensus]) {
          expect(figure).toBeGreaterThanOrEqual(0);
          expect(figure).toBeLessThanOrEqual(1);
        }
        expect(new Set(report.blocs.flat()).size).toBe(drawn.members.length);
      }),
      PROPERTY_OPTIONS,
    );
  });

  it('does not depend on the order of answers and issues', () => {
    const shuffled = councils.chain((drawn) => {
      const council = toCouncil(drawn);
      const shuffle = <T>(list: T[]) =>
        fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length });
      return fc.record({
        council: fc.constant(council),
        answers: shuffle(council.answers),
        issues: shuffle(council.issues),
      });
    });
    fc.assert(
      fc.property(shuffled, ({ council, answers, issues }) => {
        expect(JSON.stringify(score({ answers, issues }))).toBe(JSON.stringify(score(council)));
      }),
      PROPERTY_OPTIONS,
    );
  });

  it('returns 1 if all stances are equal, and chance for equal texts without stances', () => {
    fc.assert(
      fc.property(councils, (drawn) => {
        const { answers, issues } = toCouncil(drawn);
        const identicalAnswers = answers.map(({ agentId }) => ({ ...answers[0]!, agentId }));
        const expected = answers[0]!.stances.length > 0 ? 1 : CHANCE_LEVEL;
        expect(score({ answers: identicalAnswers, issues }).convergenceScore).toBe(expected);
      }),
      PROPERTY_OPTIONS,
    );
  });

  it('does not decrease when an agent adopts the answer of one that is at least as central', () => {
    let satisfied = 0;
    fc.assert(
      fc.property(councils, (drawn) => {
        const all = toCouncil(drawn);
        const council = { ...all, answers: [...countedAnswers(all.answers)] };
        const [joiningAnswer, joinedAnswer] = [council.answers[0]!, council.answers[1]!];
        const pairs = comparePairs(council.answers, council.issues);
        const centralityGain =
          centralityOf(pairs, joinedAnswer.agentId) - centralityOf(pairs, joiningAnswer.agentId);
        // The tolerance covers rounding errors of the two centralities.
        if (centralityGain < -1e-9) return true;
        satisfied += 1;
        const moved = { ...joinedAnswer, agentId: joiningAnswer.agentId };
        const after = { ...council, answers: [moved, ...council.answers.slice(1)] };
        return score(after).convergenceScore >= score(council).convergenceScore;
      }),
      { ...PROPERTY_OPTIONS, numRuns: DRAW_COUNT },
    );
    expect(satisfied).toBeGreaterThan(CASE_COUNT);
  });

  it('increases when an agent moves from a bloc to one that is at least as large', () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 8 }));
    fc.assert(
      fc.property(sizes, ([small, more]) => {
        const vote = (votesFor: number, votesAgainst: number): Council => ({
          answers: [
            ...Array.from({ length: votesFor }, (_, index) => answerOf(`y${index}`, [1])),
            ...Array.from({ length: votesAgainst }, (_, index) => answerOf(`n${index}`, [-1])),
          ],
          issues: [{ id: 'i1', proposition: '', weight: 1 }],
        });
        const before = score(vote(small + more, small)).convergenceScore;
        const after = score(vote(small + more + 1, small - 1)).convergenceScore;
        expect(after).toBeGreaterThan(before);
      }),
    );
  });
});
