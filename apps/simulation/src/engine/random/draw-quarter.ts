import { exactLog } from '../number/exact-math.ts';
import { EVENT_CODES } from '../world/event-catalogue.ts';
import { normalQuantile } from './normal-quantile.ts';

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
   * Replaces each uniform draw u by 1 - u, so that the errors of a path and its mirrored path
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
  readonly events: Float64Array;
  /** Uniform draws from which the shocks are computed; its last elements are `events`. */
  readonly uniforms: Float64Array;
};

const WORD = 2 ** 32;
const UINT32_UNIT = 2 ** -32;
/**
 * Difference between the hash inputs of consecutive draws: 2^32 / golden ratio, which spreads them
 * evenly.
 */
const STRIDE = 0x9e3779b9;
const SHOCK_COUNT = 5;

export const createDraws = (): Draws => {
  const uniforms = new Float64Array(SHOCK_COUNT + EVENT_CODES.length);
  const events = uniforms.subarray(SHOCK_COUNT);
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
    const u = (finishHash(hash + Math.imul(index + 1, STRIDE)) + 0.5) * UINT32_UNIT;
    uniforms[index] = isMirrored ? 1 - u : u;
  }
  draws.growth = normalQuantile(uniforms[0]!);
  draws.inflation = normalQuantile(uniforms[1]!);
  draws.rate = normalQuantile(uniforms[2]!);
  draws.sector = normalQuantile(uniforms[3]!);
  draws.company = laplaceQuantile(uniforms[4]!);
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
