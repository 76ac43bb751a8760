import type { JsonObject } from '@bufbuild/protobuf';
import type { Levers } from '../lever/lever.ts';
import { toRandomSource, finishHash, foldWord } from '../random/draw-quarter.ts';
import { toClimate } from '../world/climate.ts';
import type { WorldParameters } from '../world/world-parameters.ts';
import { mergeEvents, toEvents } from './to-events.ts';
import type { WorldEvent } from './to-events.ts';
import type { EngineState } from './engine-state.ts';
import { createTurnSums, addQuarter, showCompany, showWorld } from './show-turn.ts';
import { stepQuarter } from './step-quarter.ts';
import { openDraftTurn, toState } from './draft-turn.ts';

export const TURN_UNITS = ['quarter', 'year'] as const;
export type TurnUnit = (typeof TURN_UNITS)[number];

export const quartersOf = (unit: TurnUnit): number => (unit === 'year' ? 4 : 1);

export type TurnInput = {
  /** Applied in every quarter of the turn, limited to the bounds of that quarter's state. */
  readonly levers: Levers;
  readonly parameters: WorldParameters;
  readonly seed: number;
  readonly turn: number;
  readonly turnUnit: TurnUnit;
};

export type PlayedTurn = {
  readonly state: EngineState;
  /** The company as the API shows it, but without the unknown members of `companyBase`. */
  readonly companyState: JsonObject;
  readonly worldState: JsonObject;
  readonly events: readonly WorldEvent[];
};

/**
 * Plays one turn: state' = F(state, levers, parameters, seed, model). Equal arguments give
 * bit-identical states on every machine. Throws `InvariantError`; such a turn must not be stored.
 */
export const playTurn = (state: EngineState, input: TurnInput): PlayedTurn => {
  const { levers, parameters, seed, turn, turnUnit } = input;
  const climate = toClimate(parameters, turn);
  const random = toRandomSource(seed);
  const draft = openDraftTurn(state, climate);
  const sums = createTurnSums();
  const events: WorldEvent[] = [];
  let before = state;
  for (let quarter = 0; quarter < quartersOf(turnUnit); quarter += 1) {
    stepQuarter(draft, levers, random);
    addQuarter(sums, draft);
    events.push(...toEvents(draft, { before, levers, random }));
    before = toState(draft);
  }
  return {
    state: before,
    companyState: showCompany(draft.company, sums),
    worldState: showWorld(draft.world, sums, draft.company),
    events: mergeEvents(events),
  };
};

/**
 * Returns the seed of a scenario: that of the simulation, so that scenarios get the same random
 * numbers and differ only by their parameters, or a seed of its own with the parameter `rng:
 * "independent"`.
 */
export const toScenarioSeed = (
  seed: number,
  scenarioId: string,
  { rng }: WorldParameters,
): number => {
  if (rng === 'common') return seed;
  let hash = foldWord(foldWord(0, seed % UINT32_RANGE), Math.floor(seed / UINT32_RANGE));
  for (const character of scenarioId) hash = foldWord(hash, character.codePointAt(0)!);
  return (
    (finishHash(foldWord(hash, 1)) % HIGH_WORD_RANGE) * UINT32_RANGE + finishHash(foldWord(hash, 2))
  );
};

const [UINT32_RANGE, HIGH_WORD_RANGE] = [2 ** 32, 2 ** 21] as const;

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
  return toState(draft);
};
