import { clip } from '../compose-answer.ts';
import { DISCLOSURE } from '../gather-sentences.ts';
import { joinWords } from './join-words.ts';
import {
  type ListedIssue,
  type ListedLever,
  type OwnAnswer,
  readIssues,
  readLevers,
  readOthersPoints,
  readOwn,
} from './read-task.ts';
import type { DebateCall, Persona } from './recognise-debate.ts';
import { chance, type Leaning, openStances } from './open-stances.ts';

/** A stance with all that is said of it. */
type Stand = ListedIssue & Leaning & { readonly hasMoved: boolean };

const MAX_POINTS = 5;
const MAX_QUOTED_CHARACTERS = 160;
const MAX_READ_CHARACTERS = 1_000;
/** Of the span of a lever, how far a leaning goes from what is usual. */
const LEVER_REACH = 0.3;
/** Of the members that hear another's point, how many go half a step. */
const MOVING_SHARE = 0.3;

/**
 * The answer of a member of a council in a debate, as the JSON that is asked for: stances from the
 * words of its brief and of the propositions. In later rounds it mostly holds them; now and then it
 * goes half a step, and says what moved it. `pointCount` bounds what is said beside the stances.
 */
export function answerAsMember(
  call: Extract<DebateCall, { kind: 'answer' }>,
  pointCount = MAX_POINTS,
): Record<string, unknown> {
  const persona = { ...call.persona, name: nameOf(call.persona) };
  const own = readOwn(call.own);
  const takeStance = openStances(persona);
  const issues = readIssues(call.task);
  const points = findOpposing(readOthersPoints(call.others), own, issues);
  const heard = (chance(`${persona.name}\n${points.join('\n')}`) + 1) / 2;
  const mayMove = points.length > 0 && heard < MOVING_SHARE;
  const stands = standOn(issues, { takeStance, own, mayMove });
  const byStrength = stands.toSorted((one, other) => Math.abs(other.pull) - Math.abs(one.pull));
  const moved = stands.find(({ hasMoved }) => hasMoved);
  const reason = points[pick(points.length, persona.name + call.others)] ?? '';
  const levers = readLevers(call.task);
  return {
    content: composeContent({ persona, stands, moved, reason, question: call.question }),
    position: tellPosition(byStrength[0], persona),
    stances: stands.map(({ id, stance, confidence }) => ({ issue: id, stance, confidence })),
    keyPoints: byStrength
      .slice(0, pointCount)
      .map((stand, index) => ({ id: `p${index + 1}`, text: tellPoint(stand, persona) })),
    changedMind: moved !== undefined,
    changeReason: moved === undefined ? null : tellReason(reason, persona),
    wouldChangeMind: tellWhatWould(byStrength[0], persona),
    ...(levers.length === 0 ? {} : { levers: decideLevers(levers, takeStance, own) }),
    provider: 'offline',
  };
}

/** Without a name, the beginning of the brief tells one from another. */
const nameOf = ({ name, brief }: Persona): string =>
  name === '' ? `The adviser of “${clip(quoted(brief.split('\n', 1)[0]!), 60)}”` : name;

/** Without those that say what it says itself: they neither move it nor are to be answered. */
function findOpposing(
  points: readonly string[],
  own: OwnAnswer | undefined,
  issues: readonly ListedIssue[],
): string[] {
  const verdicts = issues.flatMap(({ id, proposition }) => {
    const { stance = 0 } = own?.stances.get(id) ?? {};
    return stance === 0 ? [] : [tellVerdict(proposition, stance)];
  });
  return points.filter((point) => !verdicts.some((verdict) => point.includes(verdict)));
}

type Standing = {
  readonly takeStance: (proposition: string) => Leaning;
  readonly own: OwnAnswer | undefined;
  readonly mayMove: boolean;
};

function standOn(issues: readonly ListedIssue[], { takeStance, own, mayMove }: Standing): Stand[] {
  // Half a step, and never to the other side: rules hear no argument that would carry them there.
  const moving = issues.find(({ id }) => Math.abs(own?.stances.get(id)?.stance ?? 0) === 1);
  return issues.map((issue) => {
    const leaning = takeStance(issue.proposition);
    const last = own?.stances.get(issue.id);
    if (last === undefined) return { ...issue, ...leaning, hasMoved: false };
    const hasMoved = mayMove && issue === moving;
    return { ...issue, ...leaning, ...last, stance: last.stance / (hasMoved ? 2 : 1), hasMoved };
  });
}

type ContentParts = {
  readonly persona: Persona;
  readonly stands: readonly Stand[];
  readonly moved: Stand | undefined;
  /** A point of another. */
  readonly reason: string;
  readonly question: string;
};

/** Every sentence names who says it, so that no two members say one sentence. */
function composeContent({ persona, stands, moved, reason, question }: ContentParts): string {
  const { name } = persona;
  const asked = quoted(question.split('\n', 1)[0]!);
  const after =
    moved === undefined
      ? `${name} has read “${quoted(reason)}” and holds to what it said.`
      : `${name} goes half a step on “${quoted(moved.proposition)}”, having read the others.`;
  return [
    ...(stands.length === 0 ? [`${name} was asked “${asked}”.`] : []),
    ...groupByReason(stands).map((group) => tellGroup(group, name)),
    ...(reason === '' ? [] : [after]),
    `${DISCLOSURE}, in the place of ${name}: it takes its stances from the words of the brief ` +
      'and of the propositions, and from nothing else.',
  ].join(' ');
}

/** What is said for one reason is said in one sentence; what has none comes last. */
function groupByReason(stands: readonly Stand[]): Stand[][] {
  const groups = Map.groupBy(stands, ({ because, words }) => `${because}\n${words.join(' ')}`);
  return [...groups.values()].toSorted((one, other) => rank(one) - rank(other));
}

const rank = ([stand]: readonly Stand[]): number => (stand?.grounds === 'chance' ? 1 : 0);

function tellGroup(group: readonly Stand[], name: string): string {
  const [{ because, words }] = group as [Stand];
  if (because === '') {
    const leanings = group.map((stand) => `“${quoted(stand.proposition)}” (${sideOf(stand)} it)`);
    return `No word of the brief of ${name} decides on ${joinWords(leanings)}.`;
  }
  const sides = Map.groupBy(group, sideOf);
  const held = [...sides].map(([side, stands]) => {
    const propositions = stands.map(({ proposition }) => `“${quoted(proposition)}”`);
    return `${side} ${joinWords(propositions)}`;
  });
  return (
    `${name} is ${joinWords(held)}: ${because}. The brief of ${name} speaks of ` +
    `${joinWords(words)}.`
  );
}

const sideOf = ({ stance }: Pick<Stand, 'stance'>): string => {
  if (stance === 0) return 'undecided on';
  return `${Math.abs(stance) === 1 ? 'clearly' : 'rather'} ${stance > 0 ? 'for' : 'against'}`;
};

// Points and positions are quoted by others, so what they quote stands in single marks.

const tellPosition = (stand: Stand | undefined, { name }: Persona): string =>
  stand === undefined
    ? `${name} takes no side.`
    : `${name} is ${sideOf(stand)} ${within(stand.proposition)}${tellWhy(stand)}.`;

const tellPoint = (stand: Stand, { name }: Persona): string => {
  const { because, stance, proposition } = stand;
  return because === ''
    ? `Nothing that ${name} is briefed on speaks ${stance > 0 ? 'against' : 'for'} ` +
        `${within(proposition)}.`
    : `To ${name}, ${tellVerdict(proposition, stance)}${tellWhy(stand)}.`;
};

const tellVerdict = (proposition: string, stance: number): string =>
  `${within(proposition)} is ${stance > 0 ? 'right' : 'wrong'}`;

const tellWhy = ({ because }: Stand): string => (because === '' ? '' : `: ${because}`);

const tellReason = (reason: string, { name }: Persona): string =>
  `${name} had not weighed what another said: “${quoted(reason)}”`;

const tellWhatWould = (stand: Stand | undefined, { name }: Persona): string => {
  if (stand === undefined) return '';
  const { grounds, words, proposition } = stand;
  return grounds === 'concern'
    ? `${name} would move on figures for what ${within(proposition)} does to ${joinWords(words)}.`
    : `${name} would move on evidence on ${within(proposition)} that can be checked.`;
};

/** For double quotes: what it quotes itself stands in single ones. */
const quoted = (text: string): string => toSentence(text).replaceAll('“', '‘').replaceAll('”', '’');

/** In single quotes, for what others quote. */
const within = (text: string): string =>
  `‘${toSentence(text)
    .replaceAll('‘', '“')
    .replaceAll(/’(?!\p{L})/gu, '”')}’`;

// Cut first: the end of a long run of marks is looked for from each of them.
const toSentence = (text: string): string => {
  const read = text.slice(0, MAX_READ_CHARACTERS);
  return clip(read.replace(/[.!?？。]+$/u, '') || read, MAX_QUOTED_CHARACTERS);
};

function decideLevers(
  levers: readonly ListedLever[],
  takeStance: Standing['takeStance'],
  own: OwnAnswer | undefined,
): Record<string, number> {
  return Object.fromEntries(
    levers.map((lever) => [
      lever.name,
      own?.levers.get(lever.name) ?? decide(lever, takeStance(lever.about).pull),
    ]),
  );
}

function decide({ min, max, usual }: ListedLever, pull: number): number {
  const wanted = usual + pull * LEVER_REACH * (max - min);
  const isWhole = [min, max, usual].every((bound) => Number.isInteger(bound)) && max - min >= 2;
  // Three places of the span are as exact as a guess gets.
  const places = isWhole ? 0 : Math.max(0, 3 - Math.floor(Math.log10(max - min || 1)));
  return Math.min(max, Math.max(min, Number(wanted.toFixed(Math.min(places, 20)))));
}

const pick = (count: number, text: string): number =>
  Math.min(count - 1, Math.floor(((chance(text) + 1) / 2) * count));
