import type { State } from '../simulation/simulation.ts';
import type { Replay } from './replay-simulation.ts';

/** Called with successful calls and their duration in milliseconds. */
export type TurnWatch = {
  onTurn: (states: readonly State[], tookMs: number) => void;
  onReplayed: (replay: Replay, tookMs: number) => void;
  onForecast: (tookMs: number) => void;
};
