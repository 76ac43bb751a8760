import { createShock, EVENT_CODES, EVENT_LIST } from './event-catalogue.ts';
import type { Shock } from './event-catalogue.ts';

/** Maximum number of events that begin in one quarter. */
const EVENTS_PER_QUARTER_MAX = 2;

export const KEY_CUSTOMER = EVENT_CODES.indexOf('key_customer_loss');
/** Revenue share of the largest customer to which the catalogue's hazard of losing it applies. */
const USUAL_CONCENTRATION = 0.1;
const KEY_CUSTOMER_HAZARD_MAX = 0.25;

const EVENTS = EVENT_LIST.length;
/** Effects of events in the order of EVENT_LIST. */
const EVENT_EFFECTS: readonly Readonly<Shock>[] = EVENT_LIST.map(({ effect }) =>
  Object.assign(createShock(), effect),
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
    addEffect(shock, index, quarters);
    if (index === KEY_CUSTOMER) shock.lostCustomersPct += concentration * 100;
    running[index] = quarters - 1;
  }
  return startedEvents;
};

const keyCustomerHazard = (hazard: number, concentration: number): number =>
  hazard >= KEY_CUSTOMER_HAZARD_MAX
    ? hazard
    : Math.min(KEY_CUSTOMER_HAZARD_MAX, (hazard * concentration) / USUAL_CONCENTRATION);

const addEffect = (shock: Shock, index: number, quartersLeft: number): void => {
  const { decay, duration } = EVENT_LIST[index]!;
  let strength = 1;
  for (let age = quartersLeft; age < duration; age += 1) strength *= decay;
  const effect = EVENT_EFFECTS[index]!;
  shock.gdpGrowth += strength * effect.gdpGrowth;
  shock.directCostPct += strength * effect.directCostPct;
  shock.rivalPricePct += strength * effect.rivalPricePct;
  shock.overheadPct += strength * effect.overheadPct;
  shock.demandPct += strength * effect.demandPct;
  shock.wageGrowth += strength * effect.wageGrowth;
  shock.unfilledPct += strength * effect.unfilledPct;
  shock.creditSpread += strength * effect.creditSpread;
  shock.lostCustomersPct += strength * effect.lostCustomersPct;
  shock.oneOffCostPct += strength * effect.oneOffCostPct;
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
