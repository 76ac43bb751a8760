import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { answerOf } from '../../../test/answer-of.ts';
import type { Answer, Issue } from '../debate.ts';
import { scoreRound } from './score-round.ts';

const ISSUES: Issue[] = [1, 2, 3].map((at) => ({
  id: `i${at}`,
  proposition: `Proposition ${at}`,
  weight: 1,
}));

const score = (answers: readonly Answer[], issues: readonly Issue[] = ISSUES) =>
  scoreRound({ answers, issues, askedCount: answers.length, conformityFlips: 0 });

const council = (sizes: readonly number[]): Answer[] =>
  sizes.flatMap((size, bloc) =>
    Array.from({ length: size }, (_, index) =>
      answerOf(`agt_${bloc}_${index}`, [bloc === 0 ? 1 : -1]),
    ),
  );

const prose = (agentId: string, content: string): Answer => answerOf(agentId, [], { content });

describe('the score of yes/no votes', () => {
  it.each([
    [[2, 1], 0.3333],
    [[3, 1], 0.5],
    [[4, 1], 0.6],
    [[7, 1], 0.75],
    [[9, 1], 0.8],
    [[12, 1], 0.8462],
    [[13, 1], 0.8571],
    [[2, 2], 0.3333],
    [[3, 2], 0.4],
    [[1, 1], 0],
    [[5, 0], 1],
  ])('is the share of agreeing pairs: for %j it is %d', (sizes, expected) => {
    expect(score(council(sizes)).convergenceScore).toBe(expected);
  });

  it('is 0 for two agents that disagree on every issue', () => {
    const answersByAgent = [answerOf('a', [1, -1, 1]), answerOf('b', [-1, 1, -1])];
    expect(score(answersByAgent).convergenceScore).toBe(0);
  });
});

describe('the score of stances', () => {
  it('is the mean agreement of stances, weighted by issue', () => {
    const issues = ISSUES.map((issue, index) => ({ ...issue, weight: [3, 1, 1][index]! }));
    const answers = [answerOf('a', [1, 0.5, undefined]), answerOf('b', [0.5, -1, 1])];
    // Expected score: (3 * .75 + 1 * .25) / 4. The third issue does not count, because only one
    // agent has a stance on it.
    expect(score(answers, issues)).toMatchObject({
      convergenceScore: 0.625,
      report: { method: 'stance' },
    });
  });

  it('does not depend on confidence', () => {
    const unsureAnswer = answerOf('c', [], {
      stances: [{ issueId: 'i1', stance: -1, confidence: 0.1 }],
    });
    const confidentAnswer = answerOf('c', [-1]);
    const others = council([2]);
    expect(score([...others, unsureAnswer])).toEqual(score([...others, confidentAnswer]));
  });

  it('ignores stances on unknown issues', () => {
    const withUnknownIssue = answerOf('a', [1], {
      stances: [
        { issueId: 'i1', stance: 1, confidence: 1 },
        { issueId: 'i9', stance: -1, confidence: 1 },
      ],
    });
    expect(score([withUnknownIssue, answerOf('b', [1])]).convergenceScore).toBe(1);
  });
});

describe('the score of prose', () => {
  it('is at most chance if no answer has a stance, however similar the texts are', () => {
    const same = score([prose('a', 'Hire two engineers.'), prose('b', 'hire two  engineers')]);
    expect(same).toMatchObject({
      convergenceScore: 0.6,
      report: { method: 'lexical', participation: 0, textSimilarity: 1 },
    });
    const other = score([prose('a', 'Hire two engineers.'), prose('b', 'Sell the warehouse.')]);
    expect(other.convergenceScore).toBeLessThan(0.05);
  });

  it('excludes prose if others have stances, and lowers participation', () => {
    const answers = [...council([4]), prose('x', 'I would rather not say.')];
    expect(score(answers)).toMatchObject({
      convergenceScore: 1,
      report: { method: 'stance', participation: 0.8 },
    });
  });

  it('is used for pairs without a common issue', () => {
    const answers = [answerOf('a', [1]), answerOf('b', [1, 1]), answerOf('c', [undefined, 1])];
    const disagreeingAnswers = answers.map((answer, index) => ({
      ...answer,
      content: ['war', '', 'peace'][index]!,
    }));
    expect(score(disagreeingAnswers)).toMatchObject({
      convergenceScore: 0.6667,
      report: { method: 'mixed' },
    });
  });
});

describe('the report of a score', () => {
  it('has the method single for one answer', () => {
    expect(score([answerOf('a', [1])])).toEqual({
      convergenceScore: 1,
      report: {
        method: 'single',
        participation: 1,
        blocs: [['a']],
        textSimilarity: 0,
        conformityFlips: 0,
        consensus: undefined,
      },
    });
  });

  it('contains the participation of the asked agents', () => {
    const answers = [answerOf('a', [1]), answerOf('b', [1], { isStale: true }), answerOf('c', [1])];
    const { report, convergenceScore } = scoreRound({
      answers,
      issues: ISSUES,
      askedCount: 5,
      conformityFlips: 2,
    });
    expect(report).toMatchObject({ participation: 0.4, conformityFlips: 2 });
    expect(convergenceScore).toBe(1);
  });

  it('distinguishes similar texts from agreement', () => {
    const content = 'We should open the second plant in spring.';
    const answers = [answerOf('a', [1], { content }), answerOf('b', [-1], { content })];
    expect(score(answers)).toMatchObject({
      convergenceScore: 0,
      report: { textSimilarity: 1, consensus: 0, blocs: [['a'], ['b']] },
    });
  });
});

describe('scoreRound with a fixed transcript', () => {
  const transcript: Answer[] = [
    answerOf('agt_c', [0.5, -1], { position: 'Cut prices', content: 'Lower prices win buyers.' }),
    answerOf('agt_a', [1, undefined, 0], { content: 'Prices should not be cut; buyers stay.' }),
    answerOf('agt_b', [undefined, -0.5], { content: 'Buyers want service, not discounts.' }),
    answerOf('agt_d', [1, 1, -1], { content: 'Raise them.', isStale: true }),
    prose('agt_e', 'It depends on the buyers, and on what they pay for service.'),
  ];
  const issues = ISSUES.map((issue, index) => ({ ...issue, weight: [0.7, 0.2, 0.1][index]! }));
  const round = { answers: transcript, issues, askedCount: 6, conformityFlips: 1 };
  const golden =
    '{"convergenceScore":0.586,"report":{"method":"mixed","participation":0.5,"blocs":' +
    '[["agt_a","agt_b","agt_c","agt_d"],["agt_e"]],"textSimilarity":0.2662,' +
    '"conformityFlips":1,"consensus":0.5486}}';

  it('returns the golden result byte for byte', () => {
    expect(JSON.stringify(scoreRound(round))).toBe(golden);
  });

  it('returns the golden result in a new process', () => {
    const url = new URL('score-round.ts', import.meta.url);
    const code = `
      import { readFileSync } from 'node:fs';
      import { scoreRound } from ${JSON.stringify(url.href)};
      process.stdout.write(JSON.stringify(scoreRound(JSON.parse(readFileSync(0, 'utf8')))));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      input: JSON.stringify(round),
      encoding: 'utf8',
    });
    expect(output).toBe(golden);
  });
});
