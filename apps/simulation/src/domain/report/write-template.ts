import type { KeyDecision } from './key-decisions.ts';
import { describeMove } from './key-decisions.ts';
import type { Prose } from './prose.ts';
import { figureOf, isInsolvent, openingFigureOf } from './scenario-course.ts';
import type { Course, Figure } from './scenario-course.ts';
import { showNumber } from './show-number.ts';

export type TemplateSource = {
  turns: number;
  courses: readonly Course[];
  decisions: readonly KeyDecision[];
};

/**
 * A report by rules, for when no model wrote one that stands up. Every number in it is one of the
 * fact table, in the words of the fact table.
 */
export const writeTemplate = (source: TemplateSource): Prose => ({
  summary: toSummary(source),
  risks: toRisks(source),
  recommendations: toRecommendations(source),
});

const money = (value: number): string => showNumber(value, 'money');
const percent = (value: number): string => showNumber(value, 'percent');

const toSummary = ({ turns, courses }: TemplateSource): string => {
  const played = `The company was played forward for ${showNumber(turns, 'turns')}`;
  const [first] = courses;
  if (courses.length === 1) return [`${played}.`, ...toCourse(first!, 'The company’s')].join(' ');
  const ranked = courses.toSorted((one, other) => worthOf(other) - worthOf(one));
  const [best, worst] = [ranked[0]!, ranked.at(-1)!];
  return [
    `${played}, in ${showNumber(courses.length, 'scenarios')}.`,
    ...tellOf(courses, [best, worst]).flatMap((course) =>
      toCourse(course, `In ${nameOf(course)} the`),
    ),
    `By its valuation at the end the company does best in ${nameOf(best)}, with ` +
      `${money(worthOf(best))}, and worst in ${nameOf(worst)}, with ${money(worthOf(worst))}.`,
  ].join(' ');
};

/** Of many scenarios the first, the best and the worst are told of. */
const tellOf = (courses: readonly Course[], ends: readonly Course[]): readonly Course[] =>
  courses.length <= COURSES_TOLD
    ? courses
    : courses.filter((course, place) => place === 0 || ends.includes(course));

const COURSES_TOLD = 4;

const nameOf = ({ scenario }: Course): string => `“${scenario.name}”`;
const endOf = ({ states }: Course, name: Figure): number => figureOf(states.at(-1)!, name);
const startOf = ({ scenario }: Course, name: Figure): number => openingFigureOf(scenario, name);
const worthOf = (course: Course): number => endOf(course, 'valuation');

const toCourse = (course: Course, subject: string): string[] => {
  const lowest = lowestOf(course);
  const failed = course.states.find(isInsolvent);
  const margin = (endOf(course, 'ebitda') / endOf(course, 'revenue')) * 100;
  return [
    `${subject} revenue per year ${toChange(course, 'revenue')}, and its cash ` +
      `${toChange(course, 'cash')}; the lowest was ${money(figureOf(lowest, 'cash'))} in ` +
      `${showNumber(lowest.turn, 'turn')}.`,
    `It ends with ${showNumber(endOf(course, 'employees'), 'people')}, a market share of ` +
      percent(endOf(course, 'marketShare') * 100) +
      (Number.isFinite(margin) ? ` and an EBITDA margin of ${percent(margin)}.` : '.'),
    ...(failed ? [`It became insolvent in ${showNumber(failed.turn, 'turn')}.`] : []),
  ];
};

/** What rounds to the same stayed, for who reads it. */
const toChange = (course: Course, name: 'revenue' | 'cash'): string => {
  const [from, to] = [startOf(course, name), endOf(course, name)];
  if (money(from) === money(to)) return `stayed at ${money(to)}`;
  return `${to > from ? 'rose' : 'fell'} from ${money(from)} to ${money(to)}`;
};

const lowestOf = ({ states }: Course): Course['states'][number] =>
  states.reduce((one, other) => (figureOf(other, 'cash') < figureOf(one, 'cash') ? other : one));

const MONTHS_ENOUGH = 12;
const ENTRIES_MAX = 6;

const toRisks = ({ courses }: TemplateSource): string[] => {
  const isOnly = courses.length === 1;
  const found = courses.flatMap((course) => {
    const where = isOnly ? 'The company' : `In ${nameOf(course)} the company`;
    return findRisks(course).map(({ gravity, risk }) => ({ gravity, risk: `${where} ${risk}.` }));
  });
  // Sorting keeps the order of scenarios among what is equally grave.
  const risks = found.toSorted((one, other) => one.gravity - other.gravity).map(({ risk }) => risk);
  if (risks.length > 0) return risks.slice(0, ENTRIES_MAX);
  const weakest = courses.toSorted((one, other) => cashAt(one) - cashAt(other))[0]!;
  return [
    'The company never ran short of cash; its tightest moment left it with ' +
      `${money(cashAt(weakest))}${isOnly ? '' : `, in ${nameOf(weakest)}`}. A harder world than ` +
      'the one that was played was not tried.',
  ];
};

const cashAt = (course: Course): number => figureOf(lowestOf(course), 'cash');

type Risk = { gravity: number; risk: string };

/** Gravity 1 is the gravest. */
const findRisks = (course: Course): Risk[] => {
  const risks = [
    toMoneyRisk(course),
    endOf(course, 'ebitda') < 0 &&
      `loses money before interest and tax: EBITDA is ${money(endOf(course, 'ebitda'))} a year`,
    toShareRisk(course),
    toEventRisk(course),
  ];
  return risks.flatMap((risk, place) => (risk ? [{ gravity: place + 1, risk }] : []));
};

const toMoneyRisk = (course: Course): string | false => {
  const failed = course.states.find(isInsolvent);
  if (failed) return `cannot pay what it owes from ${showNumber(failed.turn, 'turn')} on`;
  const [cash, burn] = [endOf(course, 'cash'), endOf(course, 'burn')];
  if (burn <= 0 || cash / burn >= MONTHS_ENOUGH) return false;
  const spends = `spends ${money(burn)} a month more than it takes in`;
  return money(cash) === '0'
    ? `${spends} and has no cash left`
    : `${spends}: its cash lasts for ${showNumber(cash / burn, 'months')}`;
};

const toShareRisk = (course: Course): string | false => {
  const [before, after] = [startOf(course, 'marketShare'), endOf(course, 'marketShare')];
  const [from, to] = [percent(before * 100), percent(after * 100)];
  return (
    after < before && from !== to && `loses ground: its market share fell from ${from} to ${to}`
  );
};

const toEventRisk = ({ states }: Course): string | false => {
  const strong = states.flatMap(({ events }) => events.filter(({ impact }) => impact === 'high'));
  const last = strong.at(-1);
  if (!last) return false;
  return `met ${showNumber(strong.length, 'events')} of high impact, the last “${last.label}”`;
};

const toRecommendations = ({ courses, decisions }: TemplateSource): string[] => {
  const isOnly = courses.length === 1;
  const good = decisions.find(({ valuation }) => valuation > 0);
  const bad = decisions.find(({ valuation, isForced }) => valuation < 0 && !isForced);
  const thin = courses.find((course) => {
    const burn = endOf(course, 'burn');
    return burn > 0 && endOf(course, 'cash') / burn < MONTHS_ENOUGH;
  });
  const held = courses.find(({ states }) => states.some(({ decision }) => decision.isFallback));
  const place = ({ scenario, turn }: KeyDecision): string =>
    `${showNumber(turn, 'turn')}${isOnly ? '' : ` of “${scenario}”`}`;
  const advice = [
    ...(thin
      ? ['Secure money, or lower what is spent every month, before the cash is used up.']
      : []),
    ...(good
      ? [
          `Build on what helped most: in ${place(good)} the company ` +
            `${describeMove(good)}, which added ` +
            `${money(good.valuation)} to its valuation at the end.`,
        ]
      : []),
    ...(bad
      ? [
          `Be slow to repeat what cost most: in ${place(bad)} the company ` +
            `${describeMove(bad)}, which took ` +
            `${money(-bad.valuation)} off its valuation at the end.`,
        ]
      : []),
    ...(held
      ? ['Give the company a council that decides: where nobody did, it only held its course.']
      : []),
    isOnly
      ? 'Play a harder and an easier world beside this one before anything rests on it.'
      : 'Plan for the scenario in which the company does worst, and watch for the signs that ' +
        'tell it from the others.',
  ];
  return advice.slice(0, ENTRIES_MAX);
};
