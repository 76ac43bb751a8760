import { exactLog } from '../number/exact-math.ts';
import { EVENT_CODES } from '../world/event-catalogue.ts';
import { finishHash, foldWord } from './mix.ts';
import { normalQuantile } from './normal-quantile.ts';

/**
 * The source of random numbers. It has no hidden state: a quarter's draws depend on it and the
 * number of the quarter only, so scenarios with one seed get the same draws, also after a restart.
 */
export type RandomSource = {
  /** The hash of seed and path. */
  readonly key: number;
  /**
   * Every draw is mirrored in its distribution, so that errors of two mirrored paths cancel out.
   */
  readonly isMirrored: boolean;
};

/** 0 is the simulation itself; forecasts use numbers from 1 on. */
export type Path = { readonly number: number; readonly isMirrored: boolean };

const ITSELF: Path = { number: 0, isMirrored: false };

/** A seed is 0 to 2^53 - 1. */
export const toRandomSource = (
  seed: number,
  { number, isMirrored }: Path = ITSELF,
): RandomSource => {
  const low = foldWord(0, seed % WORD);
  return { key: foldWord(foldWord(low, Math.floor(seed / WORD)), number), isMirrored };
};

/** The random numbers of one quarter; overwritten each quarter. */
export type Draws = {
  /** Standard normal. */
  growth: number;
  inflation: number;
  rate: number;
  sector: number;
  /** Laplace of scale 1: the growth of firms is tent-shaped. */
  company: number;
  /** Uniform, one for each event, in the catalogue's order. */
  readonly events: Float64Array;
  /** All draws before transformation; `events` is its end. */
  readonly uniforms: Float64Array;
};

const WORD = 2 ** 32;
const PER_WORD = 2 ** -32;
/** Distance of the hash inputs of a quarter's draws (2^32 / 1.618...). */
const STRIDE = 0x9e3779b9;
/** Number of draws that belong to no event. */
const SHOCKS = 5;

export const createDraws = (): Draws => {
  const uniforms = new Float64Array(SHOCKS + EVENT_CODES.length);
  const events = uniforms.subarray(SHOCKS);
  return { growth: 0, inflation: 0, rate: 0, sector: 0, company: 0, events, uniforms };
};

export const drawQuarter = (
  draws: Draws,
  { key, isMirrored }: RandomSource,
  quarter: number,
): void => {
  const { uniforms } = draws;
  const hash = foldWord(key, quarter);
  for (let index = 0; index < uniforms.length; index += 1) {
    // Strictly between 0 and 1.
    const u = (finishHash(hash + Math.imul(index + 1, STRIDE)) + 0.5) * PER_WORD;
    uniforms[index] = isMirrored ? 1 - u : u;
  }
  draws.growth = normalQuantile(uniforms[0]!);
  draws.inflation = normalQuantile(uniforms[1]!);
  draws.rate = normalQuantile(uniforms[2]!);
  draws.sector = normalQuantile(uniforms[3]!);
  draws.company = laplaceQuantile(uniforms[4]!);
};

/** Writes an ordinary quarter: every shock at its median and no event. */
export const drawNothing = (draws: Draws): void => {
  draws.growth = 0;
  draws.inflation = 0;
  draws.rate = 0;
  draws.sector = 0;
  draws.company = 0;
  draws.events.fill(1);
};

const laplaceQuantile = (u: number): number => {
  const size = exactLog(u < 0.5 ? 2 * u : 2 * (1 - u));
  return u < 0.5 ? size : -size;
};
