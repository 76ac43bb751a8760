import { roundToScale } from '../number/fix.ts';
import { toClimate } from '../world/climate.ts';
import type { EngineState } from './engine-state.ts';
import type { TurnInput } from './play-turn.ts';

const RATE_SCALE = 1e6;
const QUARTERS_PER_YEAR = 4;

/**
 * Returns the year-over-year inflation in percent, which is displayed because the annualized rate
 * of a single quarter is too volatile. Returns undefined if parameters set the rate in this turn,
 * because then that rate is displayed. `earlier` are known states before `after`. If none is a year
 * old, inflation before the oldest one is assumed to equal its average since turn 0, or at turn 0
 * the mean of the regime.
 */
export const showInflation = (
  after: EngineState,
  earlier: readonly EngineState[],
  { parameters, turn }: Pick<TurnInput, 'parameters' | 'turn'>,
): number | undefined => {
  if (toClimate(parameters, turn).inflationRate?.mode === 'set') return undefined;
  const yearAgoQuarter = after.quarter - QUARTERS_PER_YEAR;
  const [oldest] = earlier
    .filter(({ quarter }) => quarter >= yearAgoQuarter && quarter < after.quarter)
    .toSorted((a, b) => a.quarter - b.quarter);
  if (!oldest) return undefined;
  const yearAgo = oldest.world.priceLevel / growthOf(oldest) ** (oldest.quarter - yearAgoQuarter);
  return roundToScale((after.world.priceLevel / yearAgo - 1) * 100, RATE_SCALE);
};

const growthOf = ({ quarter, world }: EngineState): number =>
  quarter === 0 ? 1 + world.inflationRate / 400 : world.priceLevel ** (1 / quarter);
