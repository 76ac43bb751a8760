import type { State } from './simulation.ts';
import type { Replay } from './replay-simulation.ts';

export type TurnObserver = {
  onTurn: (states: readonly State[], tookMs: number) => void;
  onReplayed: (replay: Replay, tookMs: number) => void;
  onForecast: (tookMs: number) => void;
};
