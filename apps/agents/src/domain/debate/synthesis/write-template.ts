import { toOneLine } from '../../prompt/to-one-line.ts';
import type { Answer, IssueVerdict } from '../debate.ts';
import { joinWords, quote } from './resolve-marks.ts';
import type { SynthesisSource } from './synthesis-source.ts';
import type { Tally } from './tally-votes.ts';

/** What rules can say of a council, when no model wrote what stands up. */
export type Template = { prose: string; openQuestions: string[] };

/** The verdicts in sentences with who holds them, and the words of one who is with them in all. */
export const writeTemplate = ({ rounds }: SynthesisSource, tally: Tally): Template => {
  const { answers } = rounds.at(-1)!;
  const isVoted = answers.some(({ stances }) => stances.length > 0);
  const paragraphs = isVoted
    ? [
        tally.verdicts.map((one) => describeVerdict(one, answers)).join(' '),
        tellWhy(tally, answers),
      ]
    : ['Nobody took a stance that can be counted.', ...answers.map(describePosition)];
  return {
    prose: paragraphs.filter((text) => text !== '').join('\n\n'),
    openQuestions: tally.verdicts
      .filter(({ verdict }) => verdict === 'split')
      .map(({ proposition }) => `What would settle ${quote(proposition)}?`),
  };
};

const VERBS: Readonly<Record<IssueVerdict['verdict'], string>> = {
  support: 'supports',
  oppose: 'opposes',
  split: 'is split on',
};

const describeVerdict = (
  { issueId, proposition, verdict }: IssueVerdict,
  answers: readonly Answer[],
): string => {
  const sides = [
    ['for', (stance: number) => stance > 0],
    ['against', (stance: number) => stance < 0],
    ['undecided', (stance: number) => stance === 0],
  ] as const;
  const counts = sides
    .map(([side, holds]) => {
      const names = answers
        .filter(({ stances }) => stances.some((s) => s.issueId === issueId && holds(s.stance)))
        .map(nameOf);
      return names.length === 0 ? '' : `${side}: ${joinWords(names)}`;
    })
    .filter((count) => count !== '');
  const held = counts.length === 0 ? 'nobody took a stance' : counts.join('; ');
  return `The council ${VERBS[verdict]} ${quote(proposition)} (${held}).`;
};

/** The surest of those who dissent on nothing; nobody speaks for a council that is all dissent. */
const tellWhy = ({ dissent }: Tally, answers: readonly Answer[]): string => {
  const dissenters = new Set(dissent.flatMap(({ agentIds }) => agentIds));
  const [speaker] = answers
    .filter(({ agentId, stances }) => stances.length > 0 && !dissenters.has(agentId))
    .toSorted((one, other) => surenessOf(other) - surenessOf(one) || compareIds(one, other));
  return speaker ? `In the words of ${describePosition(speaker)}` : '';
};

const surenessOf = ({ stances }: Answer): number =>
  stances.reduce((sum, { confidence }) => sum + confidence, 0) / stances.length;

const compareIds = (one: Answer, other: Answer): number => (one.agentId < other.agentId ? -1 : 1);

const describePosition = (answer: Answer): string => {
  const { position, content } = answer;
  return `${nameOf(answer)}: “${toOneLine(position.trim() === '' ? content : position).trim()}”`;
};

const nameOf = ({ agentName }: Answer): string => toOneLine(agentName);
