import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { answerOf, makeIssue, roundOf } from '../../test/divided-council.ts';
import { findContradiction } from './answer/find-contradiction.ts';
import { isShort } from './answer/opening-of.ts';
import { readAnswer } from './answer/read-answer.ts';
import { chooseIssues } from './choose-issues.ts';
import type { Answer, Issue } from './debate.ts';
import { findProseError } from './synthesis/find-prose-error.ts';
import { anonymise, renderCouncil } from './synthesis/render-council.ts';
import { synthesize } from './synthesis/synthesize.ts';
import { tallyVotes } from './synthesis/tally-votes.ts';

/** Answers of small models (1.5, 0.5 and 0.1 billion parameters), as they were received. */
type Recorded = { kind: string; schemaEnforced: boolean; finishReason: string; answer: string };

const FILE = new URL('../../../../libs/testing/data/real-models-answers.ndjson', import.meta.url);
const RECORDED = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

const DECISION = 'We should start home delivery next year.';
const HIRE = [
  makeIssue('i1', 'Hire two sales people now'),
  makeIssue('i2', 'First put everybody on reducing churn'),
];
const STUDIO = [
  makeIssue(
    'i1',
    'The 12-person design studio should accept one client that would be 60 percent of its revenue.',
  ),
];
const PRICES = ['i1', 'i2', 'i3'].map((id) =>
  makeIssue(id, id === 'i1' ? 'Debemos subir los precios un 15% en enero.' : id),
);
const BAKERY = [
  makeIssue('i1', DECISION),
  makeIssue('i2', 'Home delivery would require additional staff.'),
  makeIssue('i3', 'Home delivery might not be necessary.'),
  makeIssue('i4', 'Home delivery might not be feasible.'),
];

const read = (index: number, issues: readonly Issue[]) =>
  readAnswer(RECORDED[index]!.answer, { isCut: false, form: { issues, levers: [] } });

/** Returns the recorded answers of a round as those of the members Strategy, Finance and so on. */
const roundFrom = (indexes: readonly number[], issues: readonly Issue[]): Answer[] =>
  indexes.map((index, position) => {
    const name = ['Finance', 'Sceptic', 'Strategy'][position]!;
    return answerOf(`agt_${name}`, {}, { agentName: name, ...read(index, issues).answer });
  });

const proseErrorOf = (index: number, issues: readonly Issue[], answers: readonly Answer[]) => {
  const tally = tallyVotes(answers, issues);
  const members = anonymise(answers, 7);
  const source = {
    ...{ question: '', issues, rounds: [roundOf(answers, 0.5)], stoppedBy: 'rounds' as const },
    ...{ threshold: 0.85, seed: 7, absentAgents: [] },
  };
  const material = renderCouncil(source, { members, tally });
  const { content } = JSON.parse(RECORDED[index]!.answer) as { content: string };
  return findProseError(content, { targets: { members, issues }, tally, material });
};

describe('recorded answers of agents', () => {
  const enforced = RECORDED.flatMap(({ kind, schemaEnforced }, index) =>
    kind.startsWith('panel/debate') && schemaEnforced ? [index] : [],
  );

  it('can all be read if their schema was enforced', () => {
    const problems = enforced.flatMap((index) => read(index, PRICES).problem ?? []);
    expect([enforced.length, problems]).toEqual([45, []]);
  });

  it('have a statement as position, whatever they give as conclusion', () => {
    const short = enforced.filter((index) => isShort(read(index, PRICES).answer.position));
    expect(short).toEqual([]);
  });

  it('count stances between two levels alike for both sides', () => {
    // The recorded stances are 0.75 and -0.25.
    expect(read(31, HIRE).answer.stances.map(({ stance }) => stance)).toEqual([1, -0.5]);
  });

  it.each([
    ['a denial with a vote for it', 41, PRICES, 'against', 'for'],
    ['advice with a vote against it', 77, STUDIO, 'for', 'against'],
    ['advice of an undecided agent', 79, STUDIO, 'for', 'undecided'],
    ['a yes with a vote against it', 81, STUDIO, 'for', 'against'],
  ])('contradict their votes: %s', (_what, index, issues, says, votes) => {
    expect(findContradiction(read(index, issues).answer, issues[0]!)).toMatchObject({
      says,
      votes,
    });
  });

  it('contradict their votes in no other debate', () => {
    const debates: [Issue[], number[]][] = [
      [HIRE, [23, 31, 32, 33, 34, 35, 36, 87]],
      [PRICES, [39, 40, 42, 43, 44, 45, 46, 47]],
      [BAKERY, [50, 51, 52, 53, 54, 55]],
      [STUDIO, [78, 80, 84]],
    ];
    const found = debates.flatMap(([issues, indexes]) =>
      indexes.filter((index) => findContradiction(read(index, issues).answer, issues[0]!)),
    );
    expect(found).toEqual([]);
  });

  it('are named in the synthesis if they contradict their votes', async () => {
    const answers = roundFrom([77, 78, 79], STUDIO);
    const { synthesis } = await synthesize(
      {
        ...{ question: '', issues: STUDIO, rounds: [roundOf(answers, 0.33)], stoppedBy: 'rounds' },
        ...{ threshold: 0.85, seed: 7, absentAgents: [] },
      },
      async ({ toContent }) => {
        const object = JSON.parse(RECORDED[86]!.answer) as Record<string, unknown>;
        toContent(object, false);
        return { object, isOffline: false, proofIds: [], usage: NO_USAGE };
      },
      new AbortController(),
    );
    expect(synthesis).toMatchObject({
      isFromTemplate: true,
      templateReason: 'votes',
      contradictions: [
        { agentName: 'Finance', says: 'for', votes: 'against' },
        { agentName: 'Strategy', says: 'for', votes: 'undecided' },
      ],
    });
    expect(synthesis.content).toMatch(/^The council is split on “The 12-person design studio/u);
    expect(synthesis.content).toContain('- Finance says “The 12-person design studio should');
  });
});

const NO_USAGE = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

describe('recorded syntheses', () => {
  it.each([
    ['a decision that was not voted on', 56, BAKERY, [53, 54, 55]],
    ['the same in the second attempt', 57, BAKERY, [53, 54, 55]],
    ['one of two verdicts, and a dissent on the wrong one', 37, HIRE, [34, 35, 36]],
    ['a decision of a divided council', 86, STUDIO, [83, 84, 85]],
    ['agreement of a council that has none', 48, PRICES, [45, 46, 47]],
    ['the same in its second attempt', 49, PRICES, [45, 46, 47]],
  ])('are rejected by their words if they state %s', (_what, index, issues, answers) => {
    const error = proseErrorOf(index, issues, roundFrom(answers, issues));
    expect(error).toMatchObject({
      reason: 'votes',
      problem: expect.stringMatching(/it says ".+", which is no verdict of the table/u),
    });
    expect(error!.problem).toContain('it does not name [i1]');
  });
});

describe('recorded framings', () => {
  const propositionsOf = (index: number) => {
    const { issues } = JSON.parse(RECORDED[index]!.answer) as { issues: Issue[] };
    return issues;
  };

  it('get the decision that was asked as their first issue', () => {
    const issues = chooseIssues(
      propositionsOf(26),
      'We are a family bakery. Our bakers work six days a week. Should we start home delivery ' +
        'next year?',
    );
    expect(issues.map(({ proposition }) => proposition)).toEqual([
      DECISION,
      'Starting home delivery would increase the number of customers and potentially boost sales.',
      'Home delivery would require additional staff and infrastructure, which could be costly.',
      'The current sales are already high, and starting home delivery might not be necessary.',
      'The bakers already work six days a week, so starting home delivery might not be feasible.',
    ]);
  });

  it('count a view in other words once', () => {
    const question = '¿Debemos subir los precios un 15% en enero?';
    const issues = chooseIssues(propositionsOf(38), question);
    expect(issues.map(({ proposition }) => proposition)).toEqual([
      'Debemos subir los precios un 15% en enero.',
      expect.stringContaining('es importante considerar la opinión'),
    ]);
  });
});
