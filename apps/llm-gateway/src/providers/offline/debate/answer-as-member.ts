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
  const points = readOthersPoints(call.others);
  const takeStance = openStances(persona);
  const heard = (chance(`${persona.name}\n${points.join('\n')}`) + 1) / 2;
  const mayMove = points.length > 0 && heard < MOVING_SHARE;
  const stands = standOn(readIssues(call.task), { takeStance, own, mayMove });
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
    ...stands.map((stand) => `${name} is ${tellSide(stand)}, ${tellWhy(stand)}.`),
    ...(reason === '' ? [] : [after]),
    `${DISCLOSURE}, in the place of ${name}: it takes its stances from the words of the brief ` +
      'and of the propositions, and from nothing else.',
  ].join(' ');
}

const tellSide = ({ stance, proposition }: Stand): string => {
  const side = stance > 0 ? 'for' : stance < 0 ? 'against' : 'undecided on';
  const strength = Math.abs(stance) === 1 ? 'clearly ' : stance === 0 ? '' : 'rather ';
  return `${strength}${side} “${quoted(proposition)}”`;
};

const tellWhy = ({ grounds, words, stance }: Stand): string => {
  if (grounds === 'chance') return 'although no word of its brief decides that';
  const brief = `because its brief speaks of ${joinWords(words)}`;
  return grounds === 'temper'
    ? brief
    : `${brief}, which that would ${stance > 0 ? 'serve' : 'strain'}`;
};

// Quotes within are single: points and positions are quoted by others.

const tellPosition = (stand: Stand | undefined, { name }: Persona): string => {
  if (stand === undefined) return `${name} takes no side`;
  const judges = stand.grounds === 'chance' ? '' : ` goes by ${joinWords(stand.words)} and`;
  return `${name}${judges} is ${tellSide(stand).replaceAll('“', '‘').replaceAll('”', '’')}.`;
};

const tellPoint = ({ grounds, words, stance, proposition }: Stand, { name }: Persona): string =>
  grounds === 'chance'
    ? `Nothing that ${name} is briefed on speaks ${stance > 0 ? 'against' : 'for'} ` +
      `‘${quoted(proposition)}’.`
    : `To ${name}, whose brief speaks of ${joinWords(words)}, ‘${quoted(proposition)}’ is ` +
      `${stance > 0 ? 'right' : 'wrong'}.`;

const tellReason = (reason: string, { name }: Persona): string =>
  `${name} had not weighed what another said: “${quoted(reason)}”`;

const tellWhatWould = (stand: Stand | undefined, { name }: Persona): string => {
  if (stand === undefined) return '';
  const about = stand.grounds === 'concern' ? joinWords(stand.words) : 'what its brief is about';
  return `${name} would move on figures for what ‘${quoted(stand.proposition)}’ does to ${about}.`;
};

// Cut first: the end of a long run of marks is looked for from each of them.
const quoted = (text: string): string =>
  clip(text.slice(0, MAX_READ_CHARACTERS).replace(/[.!?？。]+$/u, ''), MAX_QUOTED_CHARACTERS);

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
