import { clip } from '../compose-answer.ts';
import { DISCLOSURE } from '../gather-sentences.ts';
import { joinList } from './join-list.ts';
import { toClause } from './to-clause.ts';
import {
  type ListedIssue,
  type ListedLever,
  type OwnAnswer,
  readIssues,
  readLevers,
  readOthersPoints,
  readOwnAnswer,
} from './read-task.ts';
import type { DebateCall, Persona } from './recognise-debate.ts';
import { hashScore, type Leaning, createTakeStance } from './create-take-stance.ts';

type MemberStance = ListedIssue & Leaning & { readonly hasChanged: boolean };

const MAX_POINTS = 5;
const MAX_QUOTED_CHARACTERS = 160;
const MAX_READ_CHARACTERS = 1_000;
/**
 * Maximum deviation of a lever from its usual value, as a share of the range from `min` to `max`.
 */
const LEVER_REACH = 0.3;
/** Share of the members that change a stance by half a step after reading another's point. */
const CHANGING_SHARE = 0.3;

/**
 * Returns a member's debate answer as the requested JSON: stances derived from the terms of its
 * brief and of the propositions. In later rounds most stances stay; sometimes one changes by half a
 * step, with the reason. `pointCount` limits the key points.
 */
export function answerAsMember(
  call: Extract<DebateCall, { kind: 'answer' }>,
  pointCount = MAX_POINTS,
): Record<string, unknown> {
  const persona = { ...call.persona, name: nameOf(call.persona) };
  const own = readOwnAnswer(call.own);
  const takeStance = createTakeStance(persona);
  const issues = readIssues(call.task);
  const points = findOpposing(
    readOthersPoints(call.others),
    issues.map(({ proposition }) => takeStance(proposition)),
  );
  const changeChance = (hashScore(`${persona.name}\n${points.join('\n')}`) + 1) / 2;
  const mayChange = points.length > 0 && changeChance < CHANGING_SHARE;
  const memberStances = takeStances(issues, { takeStance, own, mayChange });
  const byStrength = memberStances.toSorted(
    (one, other) => Math.abs(other.score) - Math.abs(one.score),
  );
  const changed = memberStances.find(({ hasChanged }) => hasChanged);
  const reason = points[pickIndex(points.length, persona.name + call.others)] ?? '';
  const levers = readLevers(call.task);
  return {
    content: composeContent({ persona, memberStances, changed, reason, question: call.question }),
    position:
      writePoints(byStrength, persona)[0] ?? `${persona.name} finds no reason in its brief.`,
    stances: memberStances.map(({ id, stance, confidence }) => ({ issue: id, stance, confidence })),
    keyPoints: writePoints(byStrength, persona)
      .slice(0, pointCount)
      .map((text, index) => ({ id: `p${index + 1}`, text })),
    changedMind: changed !== undefined,
    changeReason: changed === undefined ? null : writeReason(reason, persona),
    wouldChangeMind: writeChangeCondition(byStrength[0], persona),
    ...(levers.length === 0 ? {} : { levers: decideLevers(levers, takeStance, own) }),
  };
}

const nameOf = ({ name, brief }: Persona): string =>
  name === '' ? `The adviser of “${clip(quoted(brief.split('\n', 1)[0]!), 60)}”` : name;

const findOpposing = (points: readonly string[], leanings: readonly Leaning[]): string[] => {
  const reasons = leanings.map(({ because }) => because).filter((because) => because !== '');
  return points.filter((point) => !reasons.some((because) => point.includes(because)));
};

type StanceInputs = {
  readonly takeStance: (proposition: string) => Leaning;
  readonly own: OwnAnswer | undefined;
  readonly mayChange: boolean;
};

function takeStances(
  issues: readonly ListedIssue[],
  { takeStance, own, mayChange }: StanceInputs,
): MemberStance[] {
  // Only a stance of 1 or -1 changes, so half a step never leads to the other side.
  const changing = issues.find(({ id }) => Math.abs(own?.stances.get(id)?.stance ?? 0) === 1);
  return issues.map((issue) => {
    const leaning = takeStance(issue.proposition);
    const last = own?.stances.get(issue.id);
    if (last === undefined) return { ...issue, ...leaning, hasChanged: false };
    const hasChanged = mayChange && issue === changing;
    return {
      ...issue,
      ...leaning,
      ...last,
      stance: last.stance / (hasChanged ? 2 : 1),
      hasChanged,
    };
  });
}

type ContentParts = {
  readonly persona: Persona;
  readonly memberStances: readonly MemberStance[];
  readonly changed: MemberStance | undefined;
  readonly reason: string;
  readonly question: string;
};

/**
 * Returns the answer as prose. Every sentence names its speaker, so that no two members write the
 * same sentence.
 */
function composeContent({
  persona,
  memberStances,
  changed,
  reason,
  question,
}: ContentParts): string {
  const { name } = persona;
  const groups = groupByReason(memberStances);
  const clauses = shortenClauses(groups.flatMap((group) => bySide(group).flat()));
  const after =
    changed === undefined
      ? `${name} has read “${quoted(reason)}” and holds to what it said.`
      : `${name} has read the others and goes half a step: ` +
        `it now ${writeSide([changed], clauses)}.`;
  return [
    ...(memberStances.length === 0
      ? [`${name} was asked “${quoted(question.split('\n', 1)[0]!)}”.`]
      : []),
    ...groups.map((group) => writeGroup(group, { name, clauses })),
    ...(reason === '' ? [] : [after]),
    `${DISCLOSURE}, in the place of ${name}, by the words of the brief and of the propositions ` +
      'alone.',
  ].join(' ');
}

/**
 * Groups the stances that share a sentence because of the same reason; those without a reason come
 * last.
 */
function groupByReason(memberStances: readonly MemberStance[]): MemberStance[][] {
  const groups = Map.groupBy(
    memberStances,
    ({ because, words }) => `${because}\n${words.join(' ')}`,
  );
  return [...groups.values()].toSorted((one, other) => rank(one) - rank(other));
}

const rank = ([memberStance]: readonly MemberStance[]): number =>
  memberStance?.grounds === 'chance' ? 1 : 0;

type Clauses = ReadonlyMap<string, string>;

function writeGroup(
  group: readonly MemberStance[],
  { name, clauses }: { name: string; clauses: Clauses },
): string {
  const [{ because, words }] = group as [MemberStance];
  const listedClauses = joinList(
    bySide(group).map((memberStances) => writeSide(memberStances, clauses)),
  );
  if (because === '')
    return `${name} ${listedClauses}, though no word of the brief of ${name} decides it.`;
  const brief = `The brief of ${name} speaks of ${joinList(words)}.`;
  return `${name} ${listedClauses}: ${because}. ${brief}`;
}

const writeSide = (memberStances: readonly MemberStance[], clauses: Clauses): string => {
  const [{ stance }] = memberStances as [MemberStance];
  const listedClauses = joinList(memberStances.map(({ id }) => `that ${clauses.get(id)!}`));
  const verb = stance > 0 ? 'agree' : 'disagree';
  if (stance === 0) return `neither agrees nor disagrees ${listedClauses}`;
  return `${Math.abs(stance) === 1 ? `clearly ${verb}s` : `tends to ${verb}`} ${listedClauses}`;
};

const bySide = (group: readonly MemberStance[]): MemberStance[][] => [
  ...Map.groupBy(group, ({ stance }) => stance).values(),
];

function shortenClauses(memberStances: readonly MemberStance[]): Clauses {
  const [first = '', ...rest] = memberStances.map(({ proposition }) =>
    toClause(toSentence(proposition)),
  );
  const clauses = [first, ...rest.map((clause) => shorten(clause, first))];
  return new Map(memberStances.map(({ id }, index) => [id, clauses[index]!]));
}

const BEFORE_ACTION = /^(?:to|should|shall|must|can|could|would|will|may)$/u;

/**
 * Shortens a clause that ends like the first one: after `we should sell it now`, `it is worth it to
 * sell it now` becomes `it is worth it to do so`.
 */
function shorten(clause: string, first: string): string {
  const words = clause.split(' ');
  const end = first.split(' ');
  let shared = 0;
  while (shared < words.length && words.at(-1 - shared) === end.at(-1 - shared)) shared += 1;
  if (shared === 0) return clause;
  const actionAt = words.length - shared + (words.at(-shared) === 'to' ? 1 : 0);
  const head = words.slice(0, actionAt);
  if (BEFORE_ACTION.test(head.at(-1) ?? '')) return [...head, 'do so'].join(' ');
  return head.at(-1) === 'out' ? head.join(' ') : clause;
}

// Returns the key points. Other members quote them, so they contain no quotation marks.

const writePoints = (byStrength: readonly MemberStance[], { name }: Persona): string[] =>
  [...new Set(byStrength.map(({ because }) => because))]
    .filter((because) => because !== '')
    .map((because) => `${name} holds that ${because}.`);

const writeReason = (reason: string, { name }: Persona): string =>
  `${name} had not weighed what another said: “${quoted(reason)}”`;

const writeChangeCondition = (
  memberStance: MemberStance | undefined,
  { name }: Persona,
): string => {
  if (memberStance === undefined) return '';
  const { grounds, words } = memberStance;
  return grounds === 'concern'
    ? `${name} would move on figures for what it does to ${joinList(words)}.`
    : `${name} would move on evidence that can be checked.`;
};

/** Turns inner quotation marks into single ones, for use inside double ones. */
const quoted = (text: string): string => toSentence(text).replaceAll('“', '‘').replaceAll('”', '’');

// Truncates the text first, because matching the end of a long run of punctuation is quadratic.
const toSentence = (text: string): string => {
  const read = text.slice(0, MAX_READ_CHARACTERS);
  return clip(read.replace(/[.!?？。]+$/u, '') || read, MAX_QUOTED_CHARACTERS);
};

function decideLevers(
  levers: readonly ListedLever[],
  takeStance: StanceInputs['takeStance'],
  own: OwnAnswer | undefined,
): Record<string, number> {
  return Object.fromEntries(
    levers.map((lever) => [
      lever.name,
      own?.levers.get(lever.name) ?? decide(lever, takeStance(lever.about).score),
    ]),
  );
}

function decide({ min, max, usual }: ListedLever, score: number): number {
  const wanted = usual + score * LEVER_REACH * (max - min);
  const isWhole = [min, max, usual].every((bound) => Number.isInteger(bound)) && max - min >= 2;
  // A precision of about a thousandth of the range from `min` to `max` is enough for a guess.
  const decimals = isWhole ? 0 : Math.max(0, 3 - Math.floor(Math.log10(max - min || 1)));
  return Math.min(max, Math.max(min, Number(wanted.toFixed(Math.min(decimals, 20)))));
}

const pickIndex = (count: number, text: string): number =>
  Math.min(count - 1, Math.floor(((hashScore(text) + 1) / 2) * count));
