// Runs the loads of the simulation engine in a process of its own, on one thread.
import {
  forecast,
  hashState,
  defaultLevers,
  openState,
  playTurns,
  playTurn,
  readCompanyBase,
  readParameters,
} from '@witan/simulation/engine';
import type { EngineState, TurnInput } from '@witan/simulation/engine';
import { serveProgram } from '../program/serve-program.ts';
import { FORECAST } from './play-loads.ts';
import type { PlayOrder, PlayResult } from './play-loads.ts';

/**
 * Number of years that `steps` plays between two readings of the clock: few enough to end soon
 * after `measureMs`, many enough to make the cost of the reading negligible.
 */
const YEARS_PER_READING = 25;
const ROUNDINGS = 64;
const SEED = 20_261_122;

type Play = (round: number) => number;

const toPlay = ({ load, sector }: PlayOrder): Play => {
  const { company } = readCompanyBase({ revenue: 20_000_000, cash: 20_000_000, sector });
  const { parameters } = readParameters({});
  const start = openState(company);
  const levers = defaultLevers(company);
  const toTurnInput = (seed: number, turn: number): TurnInput => ({
    levers,
    parameters,
    seed,
    turn,
    turnUnit: load === 'steps' ? 'year' : 'quarter',
  });
  switch (load) {
    case 'bare':
      return playBare;
    case 'steps':
      return (round) => {
        const turns = Array.from({ length: YEARS_PER_READING }, (_, at) =>
          toTurnInput(SEED + round, at + 1),
        );
        return playTurns(start, turns).quarter;
      };
    case 'turns':
      return (round) => {
        let state: EngineState = start;
        for (let turn = 1; turn <= FORECAST.turns; turn += 1) {
          state = playTurn(state, toTurnInput(SEED + round, turn)).state;
        }
        return state.quarter;
      };
    case 'forecast':
      return (round) => {
        const { percentiles } = forecast(start, {
          ...toTurnInput(SEED + round, 1),
          fromTurn: 1,
          ...FORECAST,
        });
        if (percentiles.p50.revenue.length !== FORECAST.turns)
          throw new Error('The forecast lacks turns.');
        return 1;
      };
    case 'hash':
      return () => hashState(start).length / 64;
  }
};

const playBare: Play = (round) => {
  let money = round + 0.1;
  const steps = 100;
  for (let step = 0; step < steps * ROUNDINGS; step += 1) {
    money = Math.round((money * 1.000_1 + 0.3) * 100) / 100;
  }
  if (!(money > 0)) throw new Error('The amount is not positive.');
  return steps;
};

const run = async (order: PlayOrder): Promise<PlayResult> => {
  const play = toPlay(order);
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let elapsedMs = 0;
  let units = 0;
  for (let round = 0; elapsedMs < order.measureMs; round += 1) {
    units += play(round);
    elapsedMs = performance.now() - startedAt;
  }
  const { user, system } = process.cpuUsage(cpu);
  return { units, elapsedMs, cpuMs: (user + system) / 1_000 };
};

serveProgram({ ready: {}, answer: run, stop: () => {} });
