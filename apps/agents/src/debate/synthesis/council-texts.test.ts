import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@witan/contracts';
import { answerOf, makeIssue, roundOf } from '../../../test/divided-council.ts';
import type { Answer } from '../debate.ts';
import type { SynthesisSource } from './render-council.ts';
import { synthesize } from './synthesize.ts';

// After a change of the texts, update the golden file and review its diff.
const GOLDEN = readFileSync(new URL('golden/council-texts.txt', import.meta.url), 'utf8');

const ISSUES = [
  makeIssue('i1', 'We should double our prices next month.'),
  makeIssue('i2', 'Present customers should keep their price for a year.'),
];

const STATEMENTS: Readonly<Record<string, readonly [string, string, string]>> = {
  Finance: [
    'The margin does not carry us past June.',
    'Cash lasts for five months at the present margin.',
    'A renewal rate of nine in ten after the rise.',
  ],
  Operations: [
    'Support cannot take the calls that a rise brings.',
    'Every rise so far has doubled the calls for six weeks.',
    'Two more people in support.',
  ],
  Product: [
    'The last two releases earn a rise, but not this one.',
    'Usage grew by a third since spring.',
    'A survey of the fifty largest customers.',
  ],
  Sceptic: [
    'Doubling our prices next month would cost us the customers that we live on.',
    'Three of the ten largest customers may leave at a week of notice.',
    'Signed renewals at the new price.',
  ],
  Strategy: [
    'The market has moved up and we should move with it.',
    'Both competitors have raised their prices this year.',
    'A competitor that lowers its price.',
  ],
};
const FIVE_NAMES = Object.keys(STATEMENTS);
const TWELVE_NAMES = Array.from('KLMNOPQRSTUV', (letter) => `Adviser ${letter}`);

const council = (stancesByAgent: readonly (readonly number[])[], names = FIVE_NAMES): Answer[] =>
  stancesByAgent.map((stances, index) => {
    const name = names[index]!;
    const generated = [`What ${name} holds.`, `A point of ${name}.`, `What would move ${name}.`];
    const [position, point, wouldChangeMind] = (STATEMENTS[name] ?? generated) as [
      string,
      string,
      string,
    ];
    const stanceTexts = stances.map((stance, issue) => [
      `i${issue + 1}`,
      [stance, 0.9 - index / 100],
    ]);
    return answerOf(
      `agt_${name}`,
      Object.fromEntries(stanceTexts) as Parameters<typeof answerOf>[1],
      {
        agentName: name,
        position,
        content: position,
        keyPoints: [{ id: 'p1', text: point, issueId: 'i1' }],
        wouldChangeMind,
      },
    );
  });

type Case = {
  name: string;
  answers: Answer[];
  score: number;
  rounds?: number;
  more?: Partial<SynthesisSource>;
};

const UNANIMOUS_STANCES = [1, 1];
const CASES: readonly Case[] = [
  {
    name: 'four against one, three of the four half-hearted',
    answers: council([
      [-0.5, 1],
      [-0.5, 1],
      [-0.5, 1],
      [-1, 1],
      [1, 1],
    ]),
    score: 0.575,
  },
  {
    name: 'two against two',
    answers: council([
      [1, 1],
      [-1, 1],
      [-1, 1],
      [1, 1],
    ]),
    score: 0.6,
  },
  {
    name: 'three against two, others on each issue',
    answers: council([
      [1, 1],
      [1, -1],
      [1, -1],
      [-1, 1],
      [-1, 1],
    ]),
    score: 0.4,
    rounds: 2,
    more: { stoppedBy: 'stable' },
  },
  {
    name: 'unanimous',
    answers: council(Array.from({ length: 5 }, () => UNANIMOUS_STANCES)),
    score: 1,
    more: { stoppedBy: 'converged' },
  },
  {
    name: 'one is absent',
    answers: council(Array.from({ length: 4 }, () => UNANIMOUS_STANCES)),
    score: 1,
    more: { stoppedBy: 'converged', absentAgents: ['Strategy'] },
  },
  {
    name: 'one is without a stance',
    answers: council([
      UNANIMOUS_STANCES,
      UNANIMOUS_STANCES,
      UNANIMOUS_STANCES,
      [],
      UNANIMOUS_STANCES,
    ]),
    score: 1,
    more: { stoppedBy: 'converged' },
  },
  {
    name: 'three are without a stance',
    answers: council([UNANIMOUS_STANCES, UNANIMOUS_STANCES, [], [], []]),
    score: 1,
  },
  {
    name: 'nobody took a stance',
    answers: council([[], [], [], [], []]),
    score: 0.1,
  },
  {
    name: 'no side has a majority',
    answers: council([
      [1, 1],
      [0, 1],
      [0, 1],
      [-1, 1],
      [1, 0],
    ]),
    score: 0.5,
  },
  {
    name: 'one alone',
    answers: council([[1, -1]]),
    score: 1,
    more: { stoppedBy: 'single' },
  },
  {
    name: 'seven against five and six against six, of twelve',
    answers: council(
      Array.from({ length: 12 }, (_one, index) => [index < 7 ? 1 : -1, index % 2 === 0 ? -1 : 1]),
      TWELVE_NAMES,
    ),
    score: 0.5,
  },
];

const render = async ({ name, answers, score, rounds = 3, more }: Case): Promise<string> => {
  const source: SynthesisSource = {
    question: 'Should we double our prices next month?',
    issues: ISSUES,
    rounds: Array.from({ length: rounds }, () => roundOf(answers, score)),
    stoppedBy: 'rounds',
    threshold: 0.85,
    seed: 7,
    absentAgents: [],
    ...more,
  };
  const { signal } = new AbortController();
  const ask = () => Promise.reject(unavailable('away'));
  const { synthesis } = await synthesize(source, ask, { signal });
  const questions = synthesis.openQuestions.map((question) => `? ${question}\n`);
  return `=== ${name}\n${synthesis.content}\n${questions.join('')}`;
};

describe('the texts of the synthesis template', () => {
  it('equal the golden file', async () => {
    const texts = await Promise.all(CASES.map(render));
    expect(texts.join('\n')).toBe(GOLDEN);
  });
});
