/**
 * Loads of the engine. `bare` is a reference that only rounds to a cent, as many times as a
 * quarter-step does.
 */
export const PLAY_LOADS = ['bare', 'steps', 'turns', 'forecast', 'hash'] as const;
export type PlayLoad = (typeof PLAY_LOADS)[number];

export type PlayOrder = { load: PlayLoad; sector: string; measureMs: number };
/** Result of a load; `units` is the number of quarter-steps, turns, forecasts or hashes made. */
export type PlayResult = { units: number; elapsedMs: number; cpuMs: number };

export const FORECAST = { runs: 1_000, turns: 20 } as const;
