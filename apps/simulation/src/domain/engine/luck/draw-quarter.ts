import { exactLog } from '../number/exact-math.ts';
import { EVENT_CODES } from '../world/event-catalogue.ts';
import { finishHash, foldWord } from './mix.ts';
import { normalQuantile } from './normal-quantile.ts';

/**
 * Where the numbers of chance come from. There is no hidden state: a quarter's draws depend on
 * these and its number only, so that scenarios of one seed meet the same luck, and a restart meets
 * it again.
 */
export type Luck = {
  /** The hash of seed and path. */
  readonly key: number;
  /** Every draw on the other side of its distribution: two such paths err opposite ways. */
  readonly isMirrored: boolean;
};

/** 0 is the simulation itself; from 1 on they are those of a forecast. */
export type Path = { readonly number: number; readonly isMirrored: boolean };

const ITSELF: Path = { number: 0, isMirrored: false };

/** A seed is 0 to 2^53 - 1. */
export const toLuck = (seed: number, { number, isMirrored }: Path = ITSELF): Luck => {
  const low = foldWord(0, seed % WORD);
  return { key: foldWord(foldWord(low, Math.floor(seed / WORD)), number), isMirrored };
};

/** What chance does in one quarter; written anew each quarter, kept by nobody. */
export type Draws = {
  /** Standard normal. */
  growth: number;
  inflation: number;
  rate: number;
  sector: number;
  /** Laplace of scale 1: the growth of firms is tent-shaped. */
  company: number;
  /** Uniform, one for each event in the catalogue's order. */
  readonly events: Float64Array;
  /** All of them as they were drawn; `events` is its end. */
  readonly uniforms: Float64Array;
};

const WORD = 2 ** 32;
const PER_WORD = 2 ** -32;
/** A quarter's draws are hashes of its key and their place, this far apart (2^32 / 1.618...). */
const STRIDE = 0x9e3779b9;
/** Draws that are no event's. */
const SHOCKS = 5;

export const createDraws = (): Draws => {
  const uniforms = new Float64Array(SHOCKS + EVENT_CODES.length);
  const events = uniforms.subarray(SHOCKS);
  return { growth: 0, inflation: 0, rate: 0, sector: 0, company: 0, events, uniforms };
};

export const drawQuarter = (draws: Draws, { key, isMirrored }: Luck, quarter: number): void => {
  const { uniforms } = draws;
  const hash = foldWord(key, quarter);
  for (let place = 0; place < uniforms.length; place += 1) {
    // Strictly between 0 and 1.
    const u = (finishHash(hash + Math.imul(place + 1, STRIDE)) + 0.5) * PER_WORD;
    uniforms[place] = isMirrored ? 1 - u : u;
  }
  draws.growth = normalQuantile(uniforms[0]!);
  draws.inflation = normalQuantile(uniforms[1]!);
  draws.rate = normalQuantile(uniforms[2]!);
  draws.sector = normalQuantile(uniforms[3]!);
  draws.company = laplaceQuantile(uniforms[4]!);
};

/** An ordinary quarter: every shock at its middle, and nothing happens. */
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
