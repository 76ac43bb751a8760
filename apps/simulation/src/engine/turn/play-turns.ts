import { toRandomSource } from '../random/draw-quarter.ts';
import { toClimate } from '../world/climate.ts';
import type { EngineState } from './engine-state.ts';
import { quartersOf } from './play-turn.ts';
import type { TurnInput } from './play-turn.ts';
import { stepQuarter } from './step-quarter.ts';
import { openDraftTurn, toState } from './draft-turn.ts';

/**
 * Plays one or more turns and returns the last state. Skips the display values and events that
 * `playTurn` computes.
 */
export const playTurns = (state: EngineState, turns: readonly TurnInput[]): EngineState => {
  const draft = openDraftTurn(state, toClimate(turns[0]!.parameters, turns[0]!.turn));
  for (const { levers, parameters, seed, turn, turnUnit } of turns) {
    draft.climate = toClimate(parameters, turn);
    const random = toRandomSource(seed);
    for (let quarter = 0; quarter < quartersOf(turnUnit); quarter += 1) {
      stepQuarter(draft, levers, random);
    }
  }
  return toState(draft, state);
};
