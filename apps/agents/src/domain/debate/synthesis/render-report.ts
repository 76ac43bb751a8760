import { toOneLine } from '../../prompt/to-one-line.ts';
import type { Answer, Dissent, Issue, StopReason } from '../debate.ts';
import { joinWords, quote } from './resolve-marks.ts';
import type { SynthesisSource } from './synthesis-source.ts';

/** How far the council came, when it did not agree; empty when it did (C3). */
export const renderOpening = ({ rounds, threshold, stoppedBy }: SynthesisSource): string => {
  const { convergenceScore: score, answers } = rounds.at(-1)!;
  if (stoppedBy === 'single') {
    return `This is what ${joinWords(answers.map(nameOf))} alone says: nobody else was asked.`;
  }
  if (score >= threshold) return '';
  const held = rounds.length === 1 ? '1 round' : `${rounds.length} rounds`;
  return (
    `The council did not agree: ${REASONS[stoppedBy](held)}, and its convergence is ${score}, ` +
    `where ${threshold} counts as agreement.`
  );
};

const REASONS: Readonly<Record<StopReason, (held: string) => string>> = {
  converged: (held) => `it answered in ${held} with too few voices`,
  stable: (held) => `after ${held} nobody moved any more`,
  oscillating: (held) => `after ${held} it was back where it had been`,
  rounds: (held) => `it was given ${held}`,
  deadline: (held) => `its time was over after ${held}`,
  budget: (held) => `its tokens were used up after ${held}`,
  single: (held) => `there was one voice in ${held}`,
};

/**
 * Every dissenter with what it holds, in its own words: whatever the prose makes of it, this stands
 * in the message. Empty when nobody dissents.
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
    const on = entries.map(({ issueId }) => describeSide(issueId, answer, issues));
    return `- ${nameOf(answer)}, ${joinWords(on)}: ${describeWords(entries)}`;
  });
  return ['Dissent:', ...lines].join('\n');
};

const describeSide = (issueId: string, { stances }: Answer, issues: readonly Issue[]): string => {
  const stance = stances.find((one) => one.issueId === issueId)?.stance ?? 0;
  const side = stance === 0 ? 'undecided on' : stance > 0 ? 'for' : 'against';
  return `${side} ${quote(issues.find(({ id }) => id === issueId)!.proposition)}`;
};

/** Position and what would move it are the agent's, points may be of the issues. */
const describeWords = (entries: readonly Dissent[]): string => {
  const { position, wouldChangeMind } = entries[0]!;
  const points = [...new Set(entries.map(({ strongestPoint }) => strongestPoint))]
    .filter((point) => point !== position)
    .map((point) => `“${toOneLine(point)}”`);
  return [
    endSentence(position),
    ...(points.length === 0
      ? []
      : [`Strongest point${points.length === 1 ? '' : 's'}: ${joinWords(points)}`]),
    ...(wouldChangeMind === '' ? [] : [`What would change its mind: “${wouldChangeMind}”`]),
  ].join(' ');
};

/** Who is not in it; empty when everybody is. */
export const renderAbsence = (absentAgents: readonly string[]): string =>
  absentAgents.length === 0
    ? ''
    : `Without ${joinWords(absentAgents.map((name) => toOneLine(name)))}, who did not answer.`;

const nameOf = ({ agentName }: Answer): string => toOneLine(agentName);

const endSentence = (text: string): string => (/[.!?…。]["'”’)]*$/u.test(text) ? text : `${text}.`);
