import type { JsonObject } from '@bufbuild/protobuf';
import {
  defaultLevers,
  openState,
  playTurn,
  readCompanyBase,
  readParameters,
} from '../src/engine/engine.ts';
import type { EngineState, Levers, PlayedTurn, TurnUnit } from '../src/engine/engine.ts';

export const openCompany = (base: JsonObject = {}): EngineState =>
  openState(readCompanyBase({ revenue: 5_000_000, sector: 'services', ...base }).company);

export type PlayOptions = {
  readonly levers?: Partial<Levers> | ((turn: number) => Partial<Levers>);
  readonly parameters?: JsonObject;
  readonly seed?: number;
  readonly turns?: number;
  readonly turnUnit?: TurnUnit;
};

export const playCompany = (start: EngineState, options: PlayOptions = {}): PlayedTurn[] => {
  const { levers = {}, seed = 1, turns = 1, turnUnit = 'quarter' } = options;
  const { parameters } = readParameters(options.parameters ?? {});
  const played: PlayedTurn[] = [];
  let state = start;
  for (let turn = 1; turn <= turns; turn += 1) {
    const chosenLevers = typeof levers === 'function' ? levers(turn) : levers;
    const allLevers = { ...defaultLevers(state.company), ...chosenLevers };
    const playedTurn = playTurn(state, { levers: allLevers, parameters, seed, turn, turnUnit });
    played.push(playedTurn);
    state = playedTurn.state;
  }
  return played;
};

export const endOf = (start: EngineState, options: PlayOptions = {}): EngineState =>
  playCompany(start, options).at(-1)!.state;
