import { toLuck } from '../luck/draw-quarter.ts';
import { toClimate } from '../world/climate.ts';
import type { EngineState } from './engine-state.ts';
import { quartersOf } from './play-turn.ts';
import type { TurnInput } from './play-turn.ts';
import { stepQuarter } from './step-quarter.ts';
import { openWorkbench, toState } from './workbench.ts';

/** The state after those turns, at least one, without what `playTurn` shows of them. */
export const playOn = (state: EngineState, turns: readonly TurnInput[]): EngineState => {
  const bench = openWorkbench(state, toClimate(turns[0]!.parameters, turns[0]!.turn));
  for (const { levers, parameters, seed, turn, turnUnit } of turns) {
    bench.climate = toClimate(parameters, turn);
    const luck = toLuck(seed);
    for (let quarter = 0; quarter < quartersOf(turnUnit); quarter += 1) {
      stepQuarter(bench, levers, luck);
    }
  }
  return toState(bench, state);
};
