import type { TurnUnit } from '../engine/engine.ts';
import type { Comparison, RankedScenario } from './compare-scenarios.ts';
import type { KeyDecision } from './key-decisions.ts';
import type { ScenarioStory } from './scenario-story.ts';
import { isSimilar, isMeaningful } from './phrases/phrases.ts';
import type { Phrases, Remedy, RiskKind } from './phrases/phrases.ts';

const ENTRIES_MAX = 6;

/**
 * Returns up to six risks, gravest first. Each kind of risk occurs once, with the numbers of the
 * worst scenario and the names of the other scenarios that have it.
 */
export const toRisks = ({ stories }: TemplateSource, phrases: Phrases): string[] => {
  const isOnlyScenario = stories.length === 1;
  const nameOf = ({ name }: ScenarioStory): string => (isOnlyScenario ? '' : name);
  const found = RISKS.flatMap(([kind, hasRisk, severity]) => {
    const matching = stories
      .filter((story) => hasRisk(story) && (!endsInsolvent(story) || LAST_RISKS.has(kind)))
      .toSorted((a, b) => severity(b) - severity(a));
    const [worst, ...others] = matching;
    if (!worst) return [];
    const alsoText = others.length === 0 ? '' : phrases.alsoIn(others.map(({ name }) => name));
    return [phrases.risk(kind, nameOf(worst), worst) + alsoText];
  });
  if (found.length > 0) return found.slice(0, ENTRIES_MAX);
  const tightest = stories.toSorted((a, b) => a.cash.lowest.value - b.cash.lowest.value)[0]!;
  return [phrases.noRisk(nameOf(tightest), tightest.cash.lowest.value)];
};

const RUNWAY_MONTHS_SAFE = 12;
const RUNWAY_MONTHS_MAX = 36;
const CASH_LEFT_MIN = 0.5;
const INSOLVENCY_PCT_MIN = 5;
/** Minimum decrease of the margin, in percentage points, that is reported as a risk. */
const MARGIN_DECREASE_MIN = 2;
const LOSS_SHARE_MIN = 0.02;
const UNSERVED_PCT_MIN = 2;

export const endsInsolvent = ({ insolvent }: ScenarioStory): boolean =>
  insolvent?.insolventSince !== undefined;
const isRunwayShort = (story: ScenarioStory): boolean =>
  !endsInsolvent(story) && story.runway !== undefined && story.runway < RUNWAY_MONTHS_SAFE;
const isLosingCash = (story: ScenarioStory): boolean =>
  !endsInsolvent(story) && story.runway !== undefined && story.runway < RUNWAY_MONTHS_MAX;
const hasTurnedNegative = (story: ScenarioStory): boolean =>
  isLosingCash(story) && story.cashFlow.start > 0;
const isUnprofitable = ({ margin }: ScenarioStory): boolean => margin.end < 0;

/** Risks that matter to a company that cannot pay. */
const LAST_RISKS: ReadonlySet<RiskKind> = new Set(['insolvent', 'loss']);

type Rule = readonly [
  kind: RiskKind,
  isMet: (story: ScenarioStory) => boolean,
  gravity: (story: ScenarioStory) => number,
];

const RISKS: readonly Rule[] = [
  ['insolvent', endsInsolvent, ({ insolvent }) => -insolvent!.insolventSince!],
  ['runway', isRunwayShort, ({ runway }) => -runway!],
  ['turned', hasTurnedNegative, ({ cashFlow }) => -cashFlow.end],
  [
    'outlook',
    (story) => {
      const { outlook, cash } = story;
      if (endsInsolvent(story) || !outlook) return false;
      const isCashLow = outlook.median < CASH_LEFT_MIN * cash.end || outlook.fifthPercentile <= 0;
      return isCashLow || outlook.insolvencyPct >= INSOLVENCY_PCT_MIN;
    },
    ({ outlook, cash }) => -outlook!.median / cash.end,
  ],
  [
    'drain',
    (story) => isLosingCash(story) && !isRunwayShort(story) && !hasTurnedNegative(story),
    ({ runway }) => -runway!,
  ],
  ['loss', isUnprofitable, ({ margin }) => -margin.end],
  [
    'margin',
    ({ margin }) =>
      margin.end >= 0 &&
      isMeaningful(margin.start) &&
      margin.start - margin.end >= MARGIN_DECREASE_MIN,
    ({ margin }) => margin.start - margin.end,
  ],
  [
    'inflationOnly',
    ({ revenue, realRevenue }) =>
      revenue.end > revenue.start && realRevenue < revenue.start * (1 - LOSS_SHARE_MIN),
    ({ revenue, realRevenue }) => revenue.start / realRevenue,
  ],
  [
    'share',
    ({ share }) => share.end < share.start * (1 - LOSS_SHARE_MIN),
    ({ share }) => share.start / share.end,
  ],
  ['unserved', ({ unserved }) => unserved >= UNSERVED_PCT_MIN, ({ unserved }) => unserved],
  [
    'recovered',
    ({ insolvent }) => insolvent?.solventSince !== undefined,
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
  const isOnlyScenario = stories.length === 1;
  const tightestFirst = stories.toSorted(
    (a, b) => (a.runway ?? Infinity) - (b.runway ?? Infinity) || 0,
  );
  // The decision that the advice recommends to repeat. Financing is excluded because it is no
  // achievement.
  const bestDecision = decisions.find(({ worth, lever }) => worth > 0 && !FINANCING.has(lever));
  const worstDecision = decisions.find(({ worth }) => worth < 0);
  const [best, worst] = [comparison?.ranked[0], comparison?.ranked.at(-1)];
  const advice = [
    ...REMEDY_RULES.flatMap((findRemedy) => {
      const remedied = tightestFirst.flatMap((story) => {
        const remedy = findRemedy(story);
        return remedy ? [phrases.remedy(remedy, isOnlyScenario ? '' : story.name, story)] : [];
      });
      return remedied.slice(0, 1);
    }),
    ...(bestDecision ? [phrases.repeat(bestDecision, isOnlyScenario)] : []),
    ...(worstDecision ? [phrases.avoid(worstDecision, isOnlyScenario)] : []),
    ...(stories.some(({ undecidedTurns }) => undecidedTurns > 0) ? [phrases.decide()] : []),
    ...(best && worst && isWorthPreparing(best, worst) ? [phrases.prepare(worst, best)] : []),
    ...(decisions.length === 0 && !stories.every(endsInsolvent) ? [phrases.branch()] : []),
    ...(isOnlyScenario && !endsInsolvent(stories[0]!) ? [phrases.playMoreTurns()] : []),
  ];
  return advice.slice(0, ENTRIES_MAX);
};

const isWorthPreparing = (best: RankedScenario, worst: RankedScenario): boolean =>
  best.insolventSince === undefined &&
  (worst.insolventSince !== undefined || !isSimilar(best.worth, worst.worth));

const PRICE_GAP_MIN = 1;

const hasLostShare = ({ share }: ScenarioStory): boolean =>
  share.end < share.start * (1 - LOSS_SHARE_MIN);

type RemedyRule = (story: ScenarioStory) => Remedy | undefined;

const findShareRemedy: RemedyRule = (story) => {
  const { shareCause, spending, priceGap } = story;
  if (endsInsolvent(story) || !hasLostShare(story)) return undefined;
  const canSpendMore = story.cutTurns.at(-1) !== story.lastTurn;
  switch (shareCause?.driver) {
    case 'brand':
      return canSpendMore && spending.marketing < spending.usualMarketing ? 'marketing' : undefined;
    case 'quality':
      return canSpendMore && spending.rd < spending.usualRd ? 'research' : undefined;
    case 'price':
      return priceGap >= PRICE_GAP_MIN ? 'price' : undefined;
    default:
      return undefined;
  }
};

/** An insolvent company gets only the first two remedies. */
const REMEDY_RULES: readonly RemedyRule[] = [
  (story) => (endsInsolvent(story) ? 'restructure' : undefined),
  ({ lastSolvent }) => (lastSolvent && lastSolvent.burn > 0 ? 'actEarlier' : undefined),
  (story) => (isLosingCash(story) ? 'closeGap' : undefined),
  findShareRemedy,
  (story) => (!endsInsolvent(story) && story.unserved >= UNSERVED_PCT_MIN ? 'capacity' : undefined),
  (story) => {
    const { cost, margin } = story;
    const isSqueezed = cost && margin.start - margin.end >= MARGIN_DECREASE_MIN;
    return isSqueezed && !endsInsolvent(story) ? 'cost' : undefined;
  },
  (story) => {
    const { outlook, cash } = story;
    if (!outlook || endsInsolvent(story) || isLosingCash(story)) return undefined;
    return outlook.fifthPercentile < cash.end ? 'reserve' : 'useCash';
  },
];

export type TemplateSource = {
  turns: number;
  turnUnit: TurnUnit;
  stories: readonly (ScenarioStory & { people: number })[];
  comparison: Comparison | undefined;
  decisions: readonly KeyDecision[];
};
