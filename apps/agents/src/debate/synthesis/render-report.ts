import { toOneLine } from '../../prompt/to-one-line.ts';
import { CHANCE_LEVEL } from '../convergence/compare-pairs.ts';
import { openingOf } from '../answer/opening-of.ts';
import type { Answer, Dissent, Issue, Side, StopReason, TemplateReason } from '../debate.ts';
import { inQuotes, joinList, quote } from './resolve-marks.ts';
import type { SynthesisSource } from './render-council.ts';
import type { Tally } from './tally-votes.ts';

/**
 * Returns how firm the verdicts are: that only one agent was asked, or the convergence and what it
 * means; empty if no agent took a stance.
 */
export const renderFirmness = ({ rounds, threshold, stoppedBy }: SynthesisSource): string => {
  const { convergenceScore: score, answers } = rounds.at(-1)!;
  if (stoppedBy === 'single') {
    return `This is what ${joinList(answers.map(nameOf))} alone says: nobody else was asked.`;
  }
  if (answers.every(({ stances }) => stances.length === 0)) return '';
  const count = rounds.length === 1 ? '1 round' : `${rounds.length} rounds`;
  const isConverged = stoppedBy === 'converged';
  const chance = score >= threshold ? '' : ` and ${CHANCE_LEVEL} is chance`;
  const isUndecided = answers.every(({ stances }) => stances.every(({ stance }) => stance === 0));
  const reason = score >= threshold && !isConverged ? ', with too few stances' : REASONS[stoppedBy];
  return (
    `How firm this is: convergence is ${score} after ${count}${reason}, where ${threshold} ` +
    `counts as agreement${chance}${isUndecided ? ': all are undecided' : ''}.`
  );
};

const REASONS: Readonly<Record<StopReason, string>> = {
  converged: '',
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
    `${descriptions}: ${inQuotes(position)}`,
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
      const sides = SIDES.map((side) => entries.filter((entry) => entry.side === side)).filter(
        (side) => side.length > 0,
      );
      const lines = sides.map((side) => renderSide(side, answers));
      const title = sides.length === 1 ? 'Nobody takes a side on' : 'Divided on';
      return [`${title} ${quote(issue.proposition)}:`, ...lines].join('\n');
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

/** Returns each statement that contradicts the vote of its agent; empty if there is none. */
export const renderContradictions = ({ contradictions }: Tally, issues: readonly Issue[]): string =>
  contradictions.length === 0
    ? ''
    : [
        'Statement and vote differ; the vote is counted:',
        ...contradictions.map(({ agentName, issueId, statement, votes }) => {
          const { proposition } = issues.find(({ id }) => id === issueId)!;
          const name = toOneLine(agentName);
          const vote = `${VOTES[votes]} ${quote(proposition)}`;
          return `- ${name} says ${inQuotes(statement)}, and ${vote}.`;
        }),
      ].join('\n');

const VOTES: Readonly<Record<Side, string>> = {
  for: 'votes for',
  against: 'votes against',
  undecided: 'is undecided on',
};

/** Returns agents without a stance with the opening of their answers, and the absent agents. */
export const renderUncounted = (
  answers: readonly Answer[],
  absentAgents: readonly string[],
): string => {
  const uncounted = answers.filter(({ stances }) => stances.length === 0);
  const lines = uncounted.map(
    (answer) => `- ${nameOf(answer)}: ${inQuotes(openingOf(answer.content) || answer.position)}`,
  );
  return [
    ...(lines.length === 0 ? [] : [['Without a stance that can be counted:', ...lines].join('\n')]),
    ...(absentAgents.length === 0
      ? []
      : [`Without ${joinList(absentAgents.map(toOneLine))}, who did not answer.`]),
  ].join('\n\n');
};

/** Says in one sentence that no model wrote the synthesis, and why. */
export const WRITTEN_BY_RULES: Readonly<Record<TemplateReason, string>> = {
  no_provider:
    'Written without a model: no provider is configured, so the answers are placeholders, too.',
  unavailable: 'Written by rules, because no model answered.',
  form: "Written by rules, because the model's text could not be read.",
  incomplete:
    "Written by rules, because the model's text left out a proposition or a dissenting member.",
  numbers: "Written by rules, because the model's text had numbers that the debate does not have.",
  votes: "Written by rules, because the model's text did not agree with the votes.",
};

const nameOf = ({ agentName }: Answer): string => toOneLine(agentName);
