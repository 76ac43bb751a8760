import { describe, expect, it } from '@jest/globals';
import { answerOf, dividedSource, makeIssue, roundOf } from '../../../test/divided-council.ts';
import { renderCamps, renderFirmness } from './render-report.ts';
import { tallyVotes } from './tally-votes.ts';

const ISSUES = [makeIssue('i1', 'We should hire.')];

const render = (...stances: number[]): string => {
  const answers = stances.map((stance, index) =>
    answerOf('abc'[index]!, { i1: [stance, 0.5] }, { keyPoints: [] }),
  );
  return renderCamps(tallyVotes(answers, ISSUES).camps, { issues: ISSUES, answers });
};

describe('the sides of an issue without a majority', () => {
  it('are a division only if there are two', () => {
    expect(render(1, 0)).toContain('Divided on “We should hire”:\n- For it: Agent a.');
    expect(render(0, 0)).toContain(
      'Nobody takes a side on “We should hire”:\n- Undecided: Agent a and Agent b.',
    );
  });
});

describe('how firm the verdicts are', () => {
  const firmness = (...stances: number[]): string => {
    const answers = stances.map((stance, index) => answerOf('abc'[index]!, { i1: [stance, 0.5] }));
    return renderFirmness(dividedSource({ rounds: [roundOf(answers, 1)], stoppedBy: 'converged' }));
  };

  it('says that the agreement of a council is on no side', () => {
    expect(firmness(0, 0)).toMatch(/ counts as agreement: all are undecided\.$/);
    expect(firmness(1, 1)).toMatch(/ counts as agreement\.$/);
  });
});
