import { createShock, EVENT_CODES, EVENT_LIST } from './event-catalogue.ts';
import type { Shock } from './event-catalogue.ts';

/** Maximum number of events that begin in one quarter. */
const EVENTS_PER_QUARTER_MAX = 2;

export const KEY_CUSTOMER = EVENT_CODES.indexOf('key_customer_loss');
/** Revenue share of the largest customer to which the catalogue's hazard of losing it applies. */
const USUAL_CONCENTRATION = 0.1;
const KEY_CUSTOMER_HAZARD_MAX = 0.25;

const EVENTS = EVENT_LIST.length;
const SHOCK_NAMES = Object.keys(createShock()) as readonly (keyof Shock)[];
/**
 * Effects of events in the order of EVENT_LIST, each by the number of quarters that are left
 * including the present one.
 */
const EVENT_EFFECTS = EVENT_LIST.map(({ effect, decay, duration }): readonly Readonly<Shock>[] =>
  Array.from({ length: duration + 1 }, (_, quartersLeft) => {
    let strength = 1;
    for (let age = quartersLeft; age < duration; age += 1) strength *= decay;
    const shock = createShock();
    for (const name of SHOCK_NAMES) shock[name] = strength * (effect[name] ?? 0);
    return shock;
  }),
);

type EventDraws = {
  readonly hazards: readonly number[];
  readonly draws: Float64Array;
  readonly concentration: number;
};

/**
 * Starts events, counts down the running ones and writes their total effect to `shock`. Returns the
 * bit set of the started events, in which bit n belongs to EVENT_LIST[n].
 */
export const stepEvents = (shock: Shock, running: number[], eventDraws: EventDraws): number => {
  resetShock(shock);
  const { hazards, draws, concentration } = eventDraws;
  const keyHazard = keyCustomerHazard(hazards[KEY_CUSTOMER]!, concentration);
  let startedEvents = 0;
  let remaining = EVENTS_PER_QUARTER_MAX;
  for (let index = 0; index < EVENTS; index += 1) {
    let quarters = running[index]!;
    if (quarters === 0) {
      const hazard = index === KEY_CUSTOMER ? keyHazard : hazards[index]!;
      if (draws[index]! >= hazard || remaining === 0) continue;
      remaining -= 1;
      startedEvents |= 1 << index;
      quarters = EVENT_LIST[index]!.duration;
    }
    addEffect(shock, EVENT_EFFECTS[index]![quarters]!);
    if (index === KEY_CUSTOMER) shock.lostCustomersPct += concentration * 100;
    running[index] = quarters - 1;
  }
  return startedEvents;
};

const keyCustomerHazard = (hazard: number, concentration: number): number =>
  hazard >= KEY_CUSTOMER_HAZARD_MAX
    ? hazard
    : Math.min(KEY_CUSTOMER_HAZARD_MAX, (hazard * concentration) / USUAL_CONCENTRATION);

const addEffect = (shock: Shock, effect: Readonly<Shock>): void => {
  shock.gdpGrowth += effect.gdpGrowth;
  shock.directCostPct += effect.directCostPct;
  shock.rivalPricePct += effect.rivalPricePct;
  shock.overheadPct += effect.overheadPct;
  shock.demandPct += effect.demandPct;
  shock.wageGrowth += effect.wageGrowth;
  shock.unfilledPct += effect.unfilledPct;
  shock.creditSpread += effect.creditSpread;
  shock.lostCustomersPct += effect.lostCustomersPct;
  shock.oneOffCostPct += effect.oneOffCostPct;
};

const resetShock = (shock: Shock): void => {
  shock.gdpGrowth = 0;
  shock.directCostPct = 0;
  shock.rivalPricePct = 0;
  shock.overheadPct = 0;
  shock.demandPct = 0;
  shock.wageGrowth = 0;
  shock.unfilledPct = 0;
  shock.creditSpread = 0;
  shock.lostCustomersPct = 0;
  shock.oneOffCostPct = 0;
};
