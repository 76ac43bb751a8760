import { estimateTokens } from '../../prompt/estimate-tokens.ts';
import { toOneLine } from '../../prompt/to-one-line.ts';
import type { Dissent, Issue, IssueVerdict } from '../debate.ts';
import { toIssueLine } from '../prompt/to-issue-line.ts';
import type { Member, SynthesisSource } from './synthesis-source.ts';
import type { Tally } from './tally-votes.ts';

const TEXT_LENGTH_MAX = 1_000;
/** Maximum number of tokens for the points of all agents together; further points are omitted. */
const POINTS_TOKENS_MAX = 8_000;

/**
 * Returns the table from which a model writes the synthesis: counted verdicts and dissent, and the
 * position of each member by letter. Every line about an issue, a member or a point begins with its
 * mark, such as `[A]`, so that no text of an agent can pose as a line of the table.
 */
export const renderCouncil = (
  { issues, rounds, threshold }: SynthesisSource,
  { members, tally }: { members: readonly Member[]; tally: Tally },
): string => {
  const score = rounds.at(-1)!.convergenceScore;
  return [
    '--- COUNCIL ---',
    `rounds: ${rounds.length}; convergence: ${score} of 1, agreement from ${threshold}`,
    ...issues.flatMap((issue) => renderIssue(issue, members, tally)),
    ...renderMembers(members),
    '--- END COUNCIL ---',
  ].join('\n');
};

const renderIssue = (issue: Issue, members: readonly Member[], tally: Tally): string[] => {
  const hasStance = ({ answer }: Member): boolean =>
    answer.stances.some(({ issueId }) => issueId === issue.id);
  const { verdict, support } = tally.verdicts.find(({ issueId }) => issueId === issue.id)!;
  const dissenters = dissentersOn(tally.dissent, issue.id);
  const sides = [
    ['for', membersWhere(members, issue, (stance) => stance > 0)],
    ['against', membersWhere(members, issue, (stance) => stance < 0)],
    ['undecided', membersWhere(members, issue, (stance) => stance === 0)],
    ['no stance', members.filter((member) => !hasStance(member))],
    ['dissent', members.filter(({ answer }) => dissenters.has(answer.agentId))],
  ] as const;
  const points = strongestOn([...tally.dissent, ...tally.camps], { issue, members });
  return [
    toIssueLine({ ...issue, proposition: escapeMarks(issue.proposition, TEXT_LENGTH_MAX) }),
    `[${issue.id}] verdict: ${VERDICTS[verdict]} (${support}, from -1 to 1)`,
    ...sides
      .filter(([, side]) => side.length > 0)
      .map(([name, side]) => `[${issue.id}] ${name}: ${side.map(markOf).join(', ')}`),
    ...(points.length === 0 ? [] : [`[${issue.id}] ${POINTS[verdict]}: ${points.join(', ')}`]),
  ];
};

const VERDICTS: Readonly<Record<IssueVerdict['verdict'], string>> = {
  support: 'supported',
  oppose: 'opposed',
  split: 'split',
};

const POINTS: Readonly<Record<IssueVerdict['verdict'], string>> = {
  support: 'dissenting points',
  oppose: 'dissenting points',
  split: 'points of both sides',
};

const dissentersOn = (dissent: readonly Dissent[], issueId: string): ReadonlySet<string> =>
  new Set(dissent.flatMap((entry) => (entry.issueId === issueId ? entry.agentIds : [])));

const strongestOn = (
  dissent: readonly Dissent[],
  { issue, members }: { issue: Issue; members: readonly Member[] },
): string[] =>
  members.flatMap(({ letter, answer }) => {
    const entry = dissent.find(
      ({ issueId, agentIds }) => issueId === issue.id && agentIds.includes(answer.agentId),
    );
    const at = answer.keyPoints.findIndex(({ id }) => id === entry?.strongestPointId);
    return at < 0 ? [] : [`[${letter}${at + 1}]`];
  });

const membersWhere = (
  members: readonly Member[],
  { id }: Issue,
  isOnSide: (stance: number) => boolean,
): Member[] =>
  members.filter(({ answer }) =>
    answer.stances.some(({ issueId, stance }) => issueId === id && isOnSide(stance)),
  );

const renderMembers = (members: readonly Member[]): string[] => {
  let tokensLeft = POINTS_TOKENS_MAX;
  return members.flatMap(({ letter, answer }) => {
    const { position, content, keyPoints, wouldChangeMind } = answer;
    const points = keyPoints
      .map(({ text }, index) => `[${letter}${index + 1}] ${escapeMarks(text, TEXT_LENGTH_MAX)}`)
      .filter((line) => (tokensLeft -= estimateTokens(line)) >= 0);
    const statement = position.trim() === '' ? content : position;
    return [
      `[${letter}] holds: ${escapeMarks(statement, TEXT_LENGTH_MAX)}`,
      ...points,
      ...(wouldChangeMind.trim() === ''
        ? []
        : [`[${letter}] would change its mind: ${escapeMarks(wouldChangeMind, TEXT_LENGTH_MAX)}`]),
    ];
  });
};

/**
 * Returns the text on one line and without marks such as `[A]`, so that an agent's text cannot
 * refer to other members.
 */
const escapeMarks = (text: string, lengthMax: number): string =>
  toOneLine(text)
    .trim()
    .replaceAll(/\[(\w{1,8})\]/g, '($1)')
    .slice(0, lengthMax)
    .toWellFormed();

const markOf = ({ letter }: Member): string => `[${letter}]`;
