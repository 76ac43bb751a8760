import type { Levers } from '../lever/lever.ts';
import type { RandomSource } from '../random/draw-quarter.ts';
import { roundToScale } from '../number/exact-math.ts';
import { EVENT_CODES, EVENT_LIST } from '../world/event-catalogue.ts';
import { KEY_CUSTOMER } from '../world/shock.ts';
import type { Climate } from '../world/climate.ts';
import type { EngineState } from './engine-state.ts';
import { stepQuarter } from './step-quarter.ts';
import { openDraftTurn } from './draft-turn.ts';
import type { DraftTurn } from './draft-turn.ts';

type Impact = 'low' | 'medium' | 'high';

export type WorldEvent = {
  readonly label: string;
  readonly impact: Impact;
  readonly code: string;
  /** Size of the effect in the event's first quarter, by name of the affected figure. */
  readonly effect: Readonly<Record<string, number>>;
  readonly duration: number;
};

type PlayedQuarter = {
  readonly before: EngineState;
  readonly levers: Levers;
  readonly random: RandomSource;
};

/**
 * Change of operating profit within a year, in percent of that year's revenue, above which the
 * impact of an event is medium or high.
 */
const [MEDIUM_PCT, HIGH_PCT] = [1, 5] as const;
const HORIZON_QUARTERS = 4;

/**
 * Returns the events that began in the draft's quarter, including insolvency or, without it, a
 * further use of the credit line.
 */
export const toEvents = (draft: DraftTurn, playedQuarter: PlayedQuarter): WorldEvent[] => {
  const events: WorldEvent[] = [];
  for (let index = 0; index < EVENT_LIST.length; index += 1) {
    if (draft.startedEvents & (1 << index))
      events.push(toEvent(index, draft.climate, playedQuarter));
  }
  return [...events, ...toFinanceEvents(draft)];
};

const IMPACTS: readonly Impact[] = ['low', 'medium', 'high'];

/** Returns the events of a turn with each code once: the gravest of its quarters, or the last. */
export const mergeEvents = (events: readonly WorldEvent[]): WorldEvent[] => {
  const byCode = new Map<string, WorldEvent>();
  for (const event of events) {
    const earlier = byCode.get(event.code);
    const isGraver = !earlier || IMPACTS.indexOf(event.impact) >= IMPACTS.indexOf(earlier.impact);
    if (isGraver) byCode.set(event.code, event);
  }
  return [...byCode.values()];
};

const toEvent = (index: number, climate: Climate, playedQuarter: PlayedQuarter): WorldEvent => {
  const { label, effect, duration } = EVENT_LIST[index]!;
  const lostCustomersPct = roundToScale(playedQuarter.before.company.concentration * 100, 1e6);
  return {
    label,
    impact: rateImpact(index, climate, playedQuarter),
    code: EVENT_CODES[index]!,
    effect: index === KEY_CUSTOMER ? { lostCustomersPct } : { ...effect },
    duration,
  };
};

/**
 * Returns the impact of an event by playing a year from before it, with and without the event, and
 * comparing the operating profits.
 */
const rateImpact = (index: number, climate: Climate, playedQuarter: PlayedQuarter): Impact => {
  const withEvent = toYearlyFigures(climate, playedQuarter);
  const hazards = climate.hazards.map((hazard, hazardIndex) =>
    hazardIndex === index ? 0 : hazard,
  );
  const withoutEvent = toYearlyFigures({ ...climate, hazards }, playedQuarter);
  const change = Math.abs(withEvent.profit - withoutEvent.profit);
  const part = (change / Math.max(withoutEvent.revenue, Number.MIN_VALUE)) * 100;
  return part > HIGH_PCT ? 'high' : part > MEDIUM_PCT ? 'medium' : 'low';
};

const toYearlyFigures = (
  climate: Climate,
  playedQuarter: PlayedQuarter,
): { profit: number; revenue: number } => {
  const draft = openDraftTurn(playedQuarter.before, climate);
  const year = { profit: 0, revenue: 0 };
  for (let quarter = 0; quarter < HORIZON_QUARTERS; quarter += 1) {
    stepQuarter(draft, playedQuarter.levers, playedQuarter.random);
    year.profit += draft.flows.ebitda - draft.flows.depreciation;
    year.revenue += draft.flows.revenue;
  }
  return year;
};

const toFinanceEvents = ({ company, flows }: DraftTurn): WorldEvent[] => {
  const event = (label: string, impact: Impact, code: string, effect: WorldEvent['effect']) => ({
    label,
    impact,
    code,
    effect,
    duration: 1,
  });
  if (flows.becameInsolvent) {
    const effect = { arrears: company.arrears };
    return [event('The company cannot pay what is due', 'high', 'insolvency', effect)];
  }
  if (!flows.drewCredit) return [];
  const effect = { creditDrawn: company.creditDrawn };
  return [event('Cash ran short: the credit line is drawn', 'medium', 'liquidity', effect)];
};
