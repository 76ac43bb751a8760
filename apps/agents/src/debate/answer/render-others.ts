import { escapeBlockMarkers, toOneLine } from '../../prompt/to-one-line.ts';
import { estimateTokens } from '../../prompt/estimate-tokens.ts';
import type { Answer, Round } from '../debate.ts';
import { describeOwnAnswer } from './describe-task.ts';
import { shuffle } from '../prompt/shuffle.ts';
import { toLetter } from '../prompt/shuffle.ts';

const SUMMARY_TOKENS_MAX = 120;

/**
 * Returns the part of an agent's prompt that shows the previous round: the agent's own answer, and
 * summaries of the other answers under letters, grouped by bloc. The other agents' names are
 * omitted to reduce conformity.
 */
export const renderOthers = (
  agentId: string,
  { answers, report }: Pick<Round, 'answers' | 'report'>,
  seed: number,
): string => {
  const own = answers.find((answer) => answer.agentId === agentId);
  const others = answers.filter((answer) => answer.agentId !== agentId);
  const letters = new Map(
    shuffle(others, seed).map((answer, index) => [answer.agentId, toLetter(index)]),
  );
  const blocs = report.blocs
    .map((bloc) => others.filter((answer) => bloc.includes(answer.agentId)))
    .filter((bloc) => bloc.length > 0);
  return [
    ...(own ? toBlock('YOUR LAST ANSWER', describeOwnAnswer(own)) : []),
    '--- OTHERS ---',
    ...shuffle(blocs, seed).flatMap((bloc, index) => [
      `Group ${index + 1}:`,
      ...bloc
        .toSorted((a, b) => (letters.get(a.agentId)! < letters.get(b.agentId)! ? -1 : 1))
        .map((answer) => `${letters.get(answer.agentId)!}: ${summarize(answer)}`),
    ]),
    '--- END OTHERS ---',
    own ? REVISION_INSTRUCTION : MISSED_ROUND_INSTRUCTION,
  ].join('\n');
};

const toBlock = (label: string, data: string): string[] => [
  `--- ${label} ---`,
  escapeBlockMarkers(data),
  `--- END ${label} ---`,
];

const REVISION_INSTRUCTION =
  'Answer again, the whole object. Change a stance only if the block shows you a fact that you ' +
  'did not have or an error of yours, and name it in "changeReason". Otherwise keep your ' +
  'stances, and rebut the strongest point against them. The person sees no letters and no ' +
  'groups: speak of points.';

const MISSED_ROUND_INSTRUCTION =
  'Your last answer did not arrive. Answer from your own judgement; that others hold something ' +
  'is no reason to hold it.';

const summarize = ({ position, keyPoints }: Answer): string => {
  const lines = [position, ...keyPoints.map(({ text }) => `- ${toOneLine(text)}`)];
  let tokens = 0;
  const fitting = lines.filter((line) => (tokens += estimateTokens(line)) <= SUMMARY_TOKENS_MAX);
  const shownPoints = fitting.length > 0 ? fitting : [position.slice(0, SUMMARY_TOKENS_MAX * 4)];
  return escapeBlockMarkers(shownPoints.map(toOneLine).join('\n'));
};
