import type { JsonObject } from '@bufbuild/protobuf';
import type { Levers } from '../lever/lever.ts';
import { toLuck } from '../luck/draw-quarter.ts';
import { finishHash, foldWord } from '../luck/mix.ts';
import { toClimate } from '../world/climate.ts';
import type { WorldParameters } from '../world/world-parameters.ts';
import { toEvents } from './to-events.ts';
import type { WorldEvent } from './to-events.ts';
import type { EngineState } from './engine-state.ts';
import { createTurnSums, addQuarter } from './turn-sums.ts';
import { showCompany, showWorld } from './show-turn.ts';
import { stepQuarter } from './step-quarter.ts';
import { openWorkbench, toState } from './workbench.ts';

export const TURN_UNITS = ['quarter', 'year'] as const;
export type TurnUnit = (typeof TURN_UNITS)[number];

export const quartersOf = (unit: TurnUnit): number => (unit === 'year' ? 4 : 1);

export type TurnInput = {
  /** Held in every quarter of the turn, each time within the bounds of that quarter's state. */
  readonly levers: Levers;
  readonly parameters: WorldParameters;
  /** 0 to 2^53 - 1; see `toScenarioSeed`. */
  readonly seed: number;
  /** The turn that is made; the first is 1. */
  readonly turn: number;
  readonly turnUnit: TurnUnit;
};

export type PlayedTurn = {
  /** Store it, hash it, play on from it. */
  readonly state: EngineState;
  /** What the API shows, but for the members of companyBase that the model does not know. */
  readonly companyState: JsonObject;
  readonly worldState: JsonObject;
  readonly events: readonly WorldEvent[];
};

/**
 * state' = F(state, levers, parameters, seed, model): the same arguments give the same bits, on
 * every machine. A year is exactly its four quarters. Throws `InvariantBroken`: nothing of it may
 * be kept.
 */
export const playTurn = (state: EngineState, input: TurnInput): PlayedTurn => {
  const { levers, parameters, seed, turn, turnUnit } = input;
  const climate = toClimate(parameters, turn);
  const luck = toLuck(seed);
  const bench = openWorkbench(state, climate);
  const sums = createTurnSums();
  const events: WorldEvent[] = [];
  let before = state;
  for (let quarter = 0; quarter < quartersOf(turnUnit); quarter += 1) {
    stepQuarter(bench, levers, luck);
    addQuarter(sums, bench);
    events.push(...toEvents(bench, { before, levers, luck }));
    before = toState(bench, state);
  }
  return {
    state: before,
    companyState: showCompany(bench.company, sums),
    worldState: showWorld(bench.world, sums, bench.company),
    events,
  };
};

/**
 * The seed that a scenario draws from: the simulation's, so that scenarios meet the same luck and
 * differ by their parameters only; with the parameter `rng: "independent"` one of its own.
 */
export const toScenarioSeed = (
  seed: number,
  scenarioId: string,
  { rng }: WorldParameters,
): number => {
  if (rng === 'common') return seed;
  let hash = foldWord(foldWord(0, seed % WORD), Math.floor(seed / WORD));
  for (const character of scenarioId) hash = foldWord(hash, character.codePointAt(0)!);
  return (finishHash(foldWord(hash, 1)) % HIGH) * WORD + finishHash(foldWord(hash, 2));
};

/** A seed is a word, and above it 21 bits. */
const [WORD, HIGH] = [2 ** 32, 2 ** 21] as const;
