import { describe, expect, it } from '@jest/globals';
import { findWrongVerdicts } from './judge-synthesis.ts';

const PROPOSITION = 'We should hire.';
const judge = (verdict: string, stances: readonly number[], synthesis = 'On “We should hire”: x') =>
  findWrongVerdicts(
    synthesis,
    [{ proposition: PROPOSITION, verdict, issueId: 'i1' }],
    [...stances.map((stance) => ({ issueId: 'i1', stance })), { issueId: 'i2', stance: -1 }],
  );

describe('the verdicts of a synthesis', () => {
  it.each<[string, number[]]>([
    ['support', [1, 0.5, -1]],
    ['oppose', [-0.5, -1, 0]],
    ['split', [1, -1, 0]],
    ['split', [1, 0]],
    ['none', []],
  ])('are right: %s of %j', (verdict, stances) => {
    expect(judge(verdict, stances)).toEqual([]);
  });

  it('are wrong if the votes hold another', () => {
    expect(judge('support', [1, -1])).toEqual(['i1 is split by the votes, not support']);
  });

  it('are wrong if a proposition is not named', () => {
    expect(judge('oppose', [-1], 'The council is against.')).toEqual([
      'the synthesis does not name “We should hire.”',
    ]);
  });
});
