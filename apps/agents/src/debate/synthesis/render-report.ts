import { toOneLine } from '../../prompt/to-one-line.ts';
import type { Answer, Dissent, Issue, Side, StopReason } from '../debate.ts';
import { inQuotes, joinList, quote } from './resolve-marks.ts';
import type { SynthesisSource } from './render-council.ts';
import type { Tally } from './tally-votes.ts';

/**
 * Returns the first sentence of the synthesis, which states that only one agent was asked or that
 * the council did not agree; empty if it agreed.
 */
export const renderOpening = ({ rounds, threshold, stoppedBy }: SynthesisSource): string => {
  const { convergenceScore: score, answers } = rounds.at(-1)!;
  if (stoppedBy === 'single') {
    return `This is what ${joinList(answers.map(nameOf))} alone says: nobody else was asked.`;
  }
  if (score >= threshold) return '';
  const count = rounds.length === 1 ? '1 round' : `${rounds.length} rounds`;
  return (
    `The council did not agree in ${count}${REASONS[stoppedBy]}: its convergence is ${score}, ` +
    `where ${threshold} counts as agreement.`
  );
};

const REASONS: Readonly<Record<StopReason, string>> = {
  converged: ', with too few voices',
  stable: ', in the last of which nobody moved',
  oscillating: ', which led back to where it had been',
  rounds: '',
  deadline: ', when its time was over',
  budget: ', when its tokens were used up',
  single: '',
};

/**
 * Returns a list of all dissenters with their positions, so that the message contains them even if
 * the model omits them; empty without dissent.
 */
export const renderDissent = (
  dissent: readonly Dissent[],
  { issues, answers }: { issues: readonly Issue[]; answers: readonly Answer[] },
): string => {
  const dissenters = [...new Set(dissent.flatMap(({ agentIds }) => agentIds))];
  if (dissenters.length === 0) return '';
  const lines = dissenters.map((agentId) => {
    const entries = dissent.filter(({ agentIds }) => agentIds.includes(agentId));
    const answer = answers.find((one) => one.agentId === agentId)!;
    const groups = [...Map.groupBy(entries, ({ position }) => position).values()];
    const positions = groups.map((group) => describePositions(group, issues)).join(' Also ');
    return [`- ${nameOf(answer)}, ${positions}`, ...renderMindChange(entries)].join(' ');
  });
  return ['Dissent:', ...lines].join('\n');
};

const SIDES: readonly Side[] = ['for', 'against', 'undecided'];

const describePositions = (entries: readonly Dissent[], issues: readonly Issue[]): string => {
  const { position } = entries[0]!;
  const sides = SIDES.map((side) => entries.filter((entry) => entry.side === side));
  const descriptions = sides
    .filter((side) => side.length > 0)
    .map((side) => {
      const issuesOf = side.map(({ issueId }) => issues.find(({ id }) => id === issueId)!);
      const issueList = joinList(issuesOf.map(({ proposition }) => quote(proposition)));
      return `${PREPOSITIONS[side[0]!.side]} ${issueList}`;
    })
    .join(' and ');
  if (position === '') return `${descriptions}.`;
  const points = [...new Set(entries.map(({ strongestPoint }) => strongestPoint))]
    .filter((point) => point !== position)
    .map(inQuotes);
  return [
    `${descriptions}: ${endSentence(position)}`,
    ...(points.length === 0
      ? []
      : [`Strongest point${points.length === 1 ? '' : 's'}: ${joinList(points)}`]),
  ].join(' ');
};

const PREPOSITIONS: Readonly<Record<Side, string>> = {
  for: 'for',
  against: 'against',
  undecided: 'undecided on',
};

const renderMindChange = (entries: readonly Dissent[]): string[] => {
  const condition = entries.find(({ wouldChangeMind }) => wouldChangeMind !== '')?.wouldChangeMind;
  return condition === undefined ? [] : [`What would change its mind: ${inQuotes(condition)}`];
};

/**
 * Returns the sides of every split issue, each with the strongest point of its most confident
 * member that has one; empty if every issue has a majority.
 */
export const renderCamps = (
  camps: readonly Dissent[],
  { issues, answers }: { issues: readonly Issue[]; answers: readonly Answer[] },
): string =>
  issues
    .map((issue) => {
      const entries = camps.filter(({ issueId }) => issueId === issue.id);
      if (entries.length === 0) return '';
      const sides = SIDES.map((side) => entries.filter((entry) => entry.side === side));
      const lines = sides
        .filter((side) => side.length > 0)
        .map((side) => renderSide(side, answers));
      return [`Divided on ${quote(issue.proposition)}:`, ...lines].join('\n');
    })
    .filter((text) => text !== '')
    .join('\n\n');

const HEADINGS: Readonly<Record<Side, string>> = {
  for: 'For it',
  against: 'Against it',
  undecided: 'Undecided',
};

const renderSide = (entries: readonly Dissent[], answers: readonly Answer[]): string => {
  const [{ side, issueId }] = entries as [Dissent];
  const members = answers.filter(({ agentId }) =>
    entries.some(({ agentIds }) => agentIds.includes(agentId)),
  );
  const confidenceOf = ({ stances }: Answer): number =>
    stances.find((stance) => stance.issueId === issueId)?.confidence ?? 0;
  const points = members
    .toSorted((one, other) => confidenceOf(other) - confidenceOf(one))
    .map((answer) => ({
      answer,
      point: entries.find(({ agentIds }) => agentIds.includes(answer.agentId))!.strongestPoint,
    }));
  const strongest = points.find(({ point }) => point !== '');
  const names = `- ${HEADINGS[side]}: ${joinList(members.map(nameOf))}.`;
  return strongest ? `${names} ${nameOf(strongest.answer)}: ${inQuotes(strongest.point)}` : names;
};

export const renderUncounted = (
  { withoutStance }: Pick<Tally, 'withoutStance'>,
  absentAgents: readonly string[],
): string => {
  const listed = (names: readonly string[]): string => joinList(names.map(toOneLine));
  return [
    ...(withoutStance.length === 0
      ? []
      : [
          `Without a countable stance: ${listed(withoutStance.map(({ name }) => name))} ` +
            '(neither agreement nor dissent).',
        ]),
    ...(absentAgents.length === 0 ? [] : [`Without ${listed(absentAgents)}, who did not answer.`]),
  ].join('\n\n');
};

const nameOf = ({ agentName }: Answer): string => toOneLine(agentName);

const endSentence = (text: string): string => (/[.!?…。]["'”’)]*$/u.test(text) ? text : `${text}.`);
