import type { State } from '../simulation/simulation.ts';
import type { Replay } from './replay-simulation.ts';

/** What is told of calls that ended well, and how long they took in milliseconds. */
export type TurnWatch = {
  onTurn: (states: readonly State[], tookMs: number) => void;
  onReplayed: (replay: Replay, tookMs: number) => void;
  onForecast: (tookMs: number) => void;
};
