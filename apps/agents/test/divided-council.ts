import type { Answer, Issue, Round } from '../src/debate/debate.ts';
import type { SynthesisSource } from '../src/debate/synthesis/render-council.ts';
import { answerOf as emptyAnswerOf } from './answer-of.ts';

export const answerOf = (
  agentId: string,
  stances: Readonly<Record<string, readonly [stance: number, confidence: number]>>,
  changes: Partial<Answer> = {},
): Answer =>
  emptyAnswerOf(agentId, [], {
    agentName: `Agent ${agentId}`,
    content: `What ${agentId} says.`,
    position: `What ${agentId} holds.`,
    stances: Object.entries(stances).map(([issueId, [stance, confidence]]) => ({
      issueId,
      stance,
      confidence,
    })),
    keyPoints: [
      { id: 'p1', text: `The first point of ${agentId}.`, issueId: 'i1' },
      { id: 'p2', text: `The second point of ${agentId}.` },
    ],
    wouldChangeMind: `What would move ${agentId}.`,
    ...changes,
  });

export const makeIssue = (id: string, proposition: string, weight = 1): Issue => ({
  id,
  proposition,
  weight,
});

export const roundOf = (answers: readonly Answer[], convergenceScore: number): Round => ({
  roundNumber: 1,
  answers,
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

/** Key point of the one agent that is against issue `i1`; the four others are for it. */
export const MINORITY_POINT =
  'The audit of 3 May found 41 of 60 invoices unpaid, so the revenue is not there.';

export const dividedSource = (changes: Partial<SynthesisSource> = {}): SynthesisSource => {
  const majority = ['a', 'b', 'c', 'd'].map((id) => answerOf(id, { i1: [1, 0.9], i2: [0.5, 0.7] }));
  const minority = answerOf(
    'e',
    { i1: [-1, 0.95], i2: [0.5, 0.7] },
    {
      agentName: 'Sceptic',
      position: 'The deal rests on revenue that nobody has seen.',
      keyPoints: [
        { id: 'evidence-1', text: MINORITY_POINT, issueId: 'i1' },
        { id: 'evidence-2', text: 'The seller refused a second audit.' },
      ],
      wouldChangeMind: 'A clean audit by somebody else.',
    },
  );
  return {
    question: 'Should we buy the company?',
    issues: [
      makeIssue('i1', 'We should buy the company.'),
      makeIssue('i2', 'It is worth 5 million.'),
    ],
    rounds: [roundOf([...majority, minority], 0.8)],
    stoppedBy: 'rounds',
    threshold: 0.85,
    seed: 7,
    absentAgents: [],
    ...changes,
  };
};
