import type { Answer, Issue } from '../debate.ts';
import type { Lever } from '../lever.ts';
import { toIssueLine, toLeverLine, TASK_LINE } from '../prompt/prompt-markers.ts';
import { KEY_POINTS_MAX, POSITION_WORDS_MAX } from './read-answer.ts';

export type DebateTask = {
  issues: readonly Issue[];
  levers: readonly Lever[];
  agentCount: number;
};

/**
 * Returns an agent's instructions. They are identical in all rounds, so that the provider's prompt
 * cache applies from the second round on.
 */
export const describeTask = ({ issues, levers, agentCount }: DebateTask): string =>
  [
    `${TASK_LINE} You sit on a council of ${agentCount}. Each member answers the person's ` +
      'question on its own, from its own character and knowledge; the answers are weighed ' +
      'against each other afterwards, and dissent is kept. Do not guess what others will say.',
    'Say where you stand on each of these propositions, from -1 (clearly against) over -0.5, 0 ' +
      '(undecided) and 0.5 to 1 (clearly for), and how sure you are, from 0 to 1:',
    ...issues.map(toIssueLine),
    ...(levers.length === 0
      ? []
      : ['Decide on each of these numbers, within its bounds:', ...levers.map(toLeverLine)]),
  ].join('\n');

export const answerFields = ({ issues, levers }: DebateTask): Readonly<Record<string, string>> => ({
  content: 'your answer to the person, as you would say it',
  position: `what you hold, in at most ${POSITION_WORDS_MAX} words`,
  stances:
    'a list of {"issue", "stance", "confidence"}, one for each of ' +
    issues.map(({ id }) => id).join(', '),
  keyPoints: `at most ${KEY_POINTS_MAX} {"id": "p1", "text": one sentence}, the strongest first`,
  changedMind: 'true only if you moved since your last answer',
  changeReason: 'the new fact or the error that moved you, else null',
  wouldChangeMind: 'what would have to be shown for you to change your mind, in one sentence',
  ...(levers.length === 0
    ? {}
    : { levers: `an object with ${levers.map(({ name }) => JSON.stringify(name)).join(', ')}` }),
});

export const describeOwnAnswer = ({ position, stances, keyPoints, levers }: Answer): string =>
  JSON.stringify({
    position,
    stances: stances.map(({ issueId, stance, confidence }) => ({
      issue: issueId,
      stance,
      confidence,
    })),
    keyPoints,
    ...(Object.keys(levers).length === 0 ? {} : { levers }),
  });
