import type { CourseStory } from './course-story.ts';
import { isSimilar, isMeaningful } from './phrases/phrases.ts';
import type { Phrases, RiskKind } from './phrases/phrases.ts';
import type { TemplateSource } from './write-template.ts';

const ENTRIES_MAX = 6;

/**
 * Lists risks, gravest first. Each kind occurs once, with the numbers of the worst scenario and the
 * names of the others.
 */
export const toRisks = ({ stories }: TemplateSource, phrases: Phrases): string[] => {
  const isOnly = stories.length === 1;
  const nameOf = ({ name }: CourseStory): string => (isOnly ? '' : name);
  const found = RISKS.flatMap(([kind, isMet, gravity]) => {
    const met = stories.filter(isMet).toSorted((one, other) => gravity(other) - gravity(one));
    const [worst, ...others] = met;
    if (!worst) return [];
    const also = others.length === 0 ? '' : phrases.alsoIn(others.map(({ name }) => name));
    return [phrases.risks[kind](nameOf(worst), worst) + also];
  });
  if (found.length > 0) return found.slice(0, ENTRIES_MAX);
  const tightest = stories.toSorted(
    (one, other) => one.cash.lowest.value - other.cash.lowest.value,
  )[0]!;
  return [phrases.noRisk(nameOf(tightest), tightest.cash.lowest.value)];
};

const MONTHS_ENOUGH = 12;
const MONTHS_FAR = 36;
const CASH_LEFT_MIN = 0.5;
const INSOLVENCY_PCT_MIN = 5;
/** In percentage points; a smaller loss of margin is no risk. */
const MARGIN_MIN = 2;
const PART_MIN = 0.02;
const UNSERVED_PCT_MIN = 2;

const isInsolvent = ({ insolvent }: CourseStory): boolean => insolvent?.sinceTurn !== undefined;
const isShort = (story: CourseStory): boolean =>
  !isInsolvent(story) && story.runway !== undefined && story.runway < MONTHS_ENOUGH;
const isDraining = (story: CourseStory): boolean =>
  !isInsolvent(story) && story.runway !== undefined && story.runway < MONTHS_FAR;
const hasTurned = (story: CourseStory): boolean => isDraining(story) && story.cashFlow.start > 0;
const isLosing = ({ margin }: CourseStory): boolean => margin.end < 0;

type Rule = readonly [
  kind: RiskKind,
  isMet: (story: CourseStory) => boolean,
  gravity: (story: CourseStory) => number,
];

const RISKS: readonly Rule[] = [
  ['insolvent', isInsolvent, ({ insolvent }) => -insolvent!.sinceTurn!],
  ['runway', isShort, ({ runway }) => -runway!],
  ['turned', hasTurned, ({ cashFlow }) => -cashFlow.end],
  [
    'outlook',
    (story) => {
      const { outlook, cash } = story;
      if (isInsolvent(story) || !outlook) return false;
      const isThin = outlook.median < CASH_LEFT_MIN * cash.end || outlook.poor <= 0;
      return isThin || outlook.insolvencyPct >= INSOLVENCY_PCT_MIN;
    },
    ({ outlook, cash }) => -outlook!.median / cash.end,
  ],
  [
    'drain',
    (story) => isDraining(story) && !isShort(story) && !hasTurned(story),
    ({ runway }) => -runway!,
  ],
  ['loss', isLosing, ({ margin }) => -margin.end],
  [
    'margin',
    ({ margin }) =>
      margin.end >= 0 && isMeaningful(margin.start) && margin.start - margin.end >= MARGIN_MIN,
    ({ margin }) => margin.start - margin.end,
  ],
  [
    'inflationOnly',
    ({ revenue, realRevenue }) =>
      revenue.end > revenue.start && realRevenue < revenue.start * (1 - PART_MIN),
    ({ revenue, realRevenue }) => revenue.start / realRevenue,
  ],
  [
    'share',
    ({ share }) => share.end < share.start * (1 - PART_MIN),
    ({ share }) => share.start / share.end,
  ],
  ['unserved', ({ unserved }) => unserved >= UNSERVED_PCT_MIN, ({ unserved }) => unserved],
  [
    'recovered',
    ({ insolvent }) => insolvent?.endedTurn !== undefined,
    ({ insolvent }) => insolvent!.turn,
  ],
  [
    'events',
    ({ events }) => events.some(({ impact }) => impact === 'high'),
    ({ events }) => events.length,
  ],
];

const FINANCING: ReadonlySet<string> = new Set(['raiseEquity', 'debtChange']);

export const toAdvice = (source: TemplateSource, phrases: Phrases): string[] => {
  const { stories, comparison, decisions } = source;
  const isOnly = stories.length === 1;
  const tightestFirst = stories.toSorted(
    (one, other) => (one.runway ?? Infinity) - (other.runway ?? Infinity) || 0,
  );
  // Financing is not an achievement, and a forced change was not decided.
  const good = decisions.find(
    ({ worth, lever, isForced }) => worth > 0 && !isForced && !FINANCING.has(lever),
  );
  const bad = decisions.find(({ worth, isForced }) => worth < 0 && !isForced);
  const [best, worst] = [comparison?.ranked[0], comparison?.ranked.at(-1)];
  const advice = [
    ...REMEDIES.flatMap((remedy) => {
      const tightest = tightestFirst
        .filter((story) => remedy === restructure || !isInsolvent(story))
        .flatMap((story) => remedy(isOnly ? '' : story.name, story, phrases));
      return tightest.slice(0, 1);
    }),
    ...(good ? [phrases.repeat(good, isOnly)] : []),
    ...(bad ? [phrases.avoid(bad, isOnly)] : []),
    ...(stories.some(({ heldTurns }) => heldTurns > 0) ? [phrases.decide()] : []),
    ...(best && worst && !isSimilar(best.worth, worst.worth)
      ? [phrases.prepare(worst.name, best.name, best.worth - worst.worth)]
      : []),
    ...(isOnly ? [phrases.playMore()] : []),
  ];
  return advice.slice(0, ENTRIES_MAX);
};

const PRICE_GAP_MIN = 1;

const hasLostShare = ({ share }: CourseStory): boolean => share.end < share.start * (1 - PART_MIN);

type Remedy = (name: string, story: CourseStory, phrases: Phrases) => string[];

/** The only remedy for an insolvent company; the others cost money. */
const restructure: Remedy = (name, story, phrases) =>
  isInsolvent(story) ? [phrases.restructure(name)] : [];

const REMEDIES: readonly Remedy[] = [
  restructure,
  (name, story, phrases) => (isDraining(story) ? [phrases.closeGap(name, story)] : []),
  (name, story, phrases) => {
    const { shareCause, spending, priceGap } = story;
    if (!hasLostShare(story) || !shareCause) return [];
    switch (shareCause.driver) {
      case 'brand':
        return spending.marketing < spending.usualMarketing ? [phrases.marketing(name, story)] : [];
      case 'quality':
        return spending.rd < spending.usualRd ? [phrases.research(name, story)] : [];
      case 'price':
        return priceGap >= PRICE_GAP_MIN ? [phrases.price(name, story)] : [];
      case 'chance':
        return [];
    }
  },
  (name, story, phrases) =>
    story.unserved >= UNSERVED_PCT_MIN ? [phrases.capacity(name, story)] : [],
  (name, { cost, margin }, phrases) =>
    cost && margin.start - margin.end >= MARGIN_MIN ? [phrases.cost(name, cost)] : [],
];
