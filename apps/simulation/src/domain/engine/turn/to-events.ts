import type { Levers } from '../lever/lever.ts';
import type { Luck } from '../luck/draw-quarter.ts';
import { fix } from '../number/fix.ts';
import { EVENT_CODES, EVENT_LIST } from '../world/event-catalogue.ts';
import { KEY_CUSTOMER } from '../world/shock.ts';
import type { Climate } from '../world/climate.ts';
import type { EngineState } from './engine-state.ts';
import { stepQuarter } from './step-quarter.ts';
import { openWorkbench } from './workbench.ts';
import type { Workbench } from './workbench.ts';

export const IMPACTS = ['low', 'medium', 'high'] as const;
export type Impact = (typeof IMPACTS)[number];

/** What befell the company. */
export type WorldEvent = {
  readonly label: string;
  readonly impact: Impact;
  readonly code: string;
  /** What it changes in its first quarter, by name. */
  readonly effect: Readonly<Record<string, number>>;
  /** Quarters, the first included. */
  readonly duration: number;
};

/** What the quarter was played from, and with. */
export type Played = { readonly before: EngineState; readonly levers: Levers; readonly luck: Luck };

/** Operating profit that an event takes or gives within a year, percent of the year's revenue. */
const [MEDIUM_PCT, HIGH_PCT] = [1, 5] as const;
const HORIZON_QUARTERS = 4;

/** What began in the bench's quarter, and whether money ran short. */
export const toEvents = (bench: Workbench, played: Played): WorldEvent[] => {
  const events: WorldEvent[] = [];
  for (let place = 0; place < EVENT_LIST.length; place += 1) {
    if (bench.began & (1 << place)) events.push(toEvent(place, bench.climate, played));
  }
  return [...events, ...toMoneyEvents(bench)];
};

const toEvent = (place: number, climate: Climate, played: Played): WorldEvent => {
  const { label, effect, duration } = EVENT_LIST[place]!;
  const lost = fix(played.before.company.concentration * 100, 1e6);
  return {
    label,
    impact: judgeImpact(place, climate, played),
    code: EVENT_CODES[place]!,
    effect: place === KEY_CUSTOMER ? { lostCustomersPct: lost } : { ...effect },
    duration,
  };
};

/** By playing the coming year with it and without it, everything else as it is. */
const judgeImpact = (place: number, climate: Climate, played: Played): Impact => {
  const withIt = playYear(climate, played);
  const hazards = climate.hazards.map((hazard, at) => (at === place ? 0 : hazard));
  const without = playYear({ ...climate, hazards }, played);
  const change = Math.abs(withIt.profit - without.profit);
  const part = (change / Math.max(without.revenue, Number.MIN_VALUE)) * 100;
  return part > HIGH_PCT ? 'high' : part > MEDIUM_PCT ? 'medium' : 'low';
};

const playYear = (climate: Climate, played: Played): { profit: number; revenue: number } => {
  const bench = openWorkbench(played.before, climate);
  const year = { profit: 0, revenue: 0 };
  for (let quarter = 0; quarter < HORIZON_QUARTERS; quarter += 1) {
    stepQuarter(bench, played.levers, played.luck);
    year.profit += bench.flows.ebitda - bench.flows.depreciation;
    year.revenue += bench.flows.revenue;
  }
  return year;
};

const toMoneyEvents = ({ company, flows }: Workbench): WorldEvent[] => {
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
