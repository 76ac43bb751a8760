import { exactLog } from '../number/exact-math.ts';
import { EVENT_CODES } from '../world/event-catalogue.ts';

/** Adds a 32-bit word to a hash (block step of MurmurHash3, A. Appleby, public domain). */
export const foldWord = (hash: number, word: number): number => {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  const mixed = hash ^ Math.imul(k, 0x1b873593);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
};

/**
 * Applies the finalizer of MurmurHash3, so that every bit of `hash` affects every bit of the
 * result.
 */
export const finishHash = (hash: number): number => {
  let h = hash | 0;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

/**
 * Stateless source of random numbers. Draws depend only on the source and the quarter, so scenarios
 * with the same seed get the same draws, also after a restart.
 */
export type RandomSource = {
  readonly key: number;
  /**
   * Replaces each uniform draw u by 1 - u, so that errors of a path and of its mirrored path partly
   * cancel out.
   */
  readonly isMirrored: boolean;
};

export type Path = { readonly number: number; readonly isMirrored: boolean };

const SIMULATION_PATH: Path = { number: 0, isMirrored: false };

export const toRandomSource = (
  seed: number,
  { number, isMirrored }: Path = SIMULATION_PATH,
): RandomSource => {
  const low = foldWord(0, seed % WORD);
  return { key: foldWord(foldWord(low, Math.floor(seed / WORD)), number), isMirrored };
};

export type Draws = {
  growth: number;
  inflation: number;
  rate: number;
  sector: number;
  /**
   * Has a Laplace distribution with scale 1, because the growth rates of real firms have that
   * tent-shaped distribution.
   */
  company: number;
  /** The normal draws above, in this order. */
  readonly normals: Float64Array;
  readonly events: Float64Array;
};

const WORD = 2 ** 32;
const UINT32_UNIT = 2 ** -32;
/**
 * Difference between the hash inputs of consecutive draws: 2^32 / golden ratio, which spreads them
 * evenly.
 */
const STRIDE = 0x9e3779b9;
const NORMALS = 4;
const EVENTS = EVENT_CODES.length;

export const createDraws = (): Draws => ({
  growth: 0,
  inflation: 0,
  rate: 0,
  sector: 0,
  company: 0,
  normals: new Float64Array(NORMALS),
  events: new Float64Array(EVENTS),
});

export const drawQuarter = (
  draws: Draws,
  { key, isMirrored }: RandomSource,
  quarter: number,
): void => {
  const { normals, events } = draws;
  let hash = foldWord(key, quarter);
  for (let index = 0; index < NORMALS; index += 1) {
    hash = (hash + STRIDE) | 0;
    normals[index] = normalQuantile(toUniform(hash, isMirrored));
  }
  draws.growth = normals[0]!;
  draws.inflation = normals[1]!;
  draws.rate = normals[2]!;
  draws.sector = normals[3]!;
  hash = (hash + STRIDE) | 0;
  draws.company = laplaceQuantile(toUniform(hash, isMirrored));
  for (let index = 0; index < EVENTS; index += 1) {
    hash = (hash + STRIDE) | 0;
    events[index] = toUniform(hash, isMirrored);
  }
};

const toUniform = (hash: number, isMirrored: boolean): number => {
  const u = (finishHash(hash) + 0.5) * UINT32_UNIT;
  return isMirrored ? 1 - u : u;
};

/** Sets every shock to its median and every event draw to 1, so that no event begins. */
export const drawMedians = (draws: Draws): void => {
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

const TAIL = 0.02425;

/**
 * Returns the `u`-quantile of the standard normal distribution for 0 < u < 1 with a relative error
 * below 1.15e-9 (P. J. Acklam's rational approximation). Unlike the Box-Muller method it uses one
 * draw per number and is exactly antisymmetric, so that mirrored draws give mirrored numbers.
 */
const normalQuantile = (u: number): number => {
  if (u < TAIL) return tail(u);
  if (u > 1 - TAIL) return -tail(1 - u);
  const q = u - 0.5;
  const r = q * q;
  const r2 = r * r;
  // The terms are grouped in independent pairs, so that the CPU computes them in parallel.
  const above =
    2.506628277459239 -
    30.66479806614716 * r +
    r2 * (138.357751867269 - 275.9285104469687 * r) +
    r2 * r2 * (220.9460984245205 - 39.69683028665376 * r);
  const below =
    1 -
    13.28068155288572 * r +
    r2 * (66.80131188771972 - 155.6989798598866 * r) +
    r2 * r2 * (161.5858368580409 - 54.47609879822406 * r);
  return (above * q) / below;
};

const tail = (u: number): number => {
  const q = Math.sqrt(-2 * exactLog(u));
  const above =
    ((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q -
      2.549732539343734) *
      q +
      4.374664141464968) *
      q +
    2.938163982698783;
  const below =
    (((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q +
      3.754408661907416) *
      q +
    1;
  return above / below;
};
