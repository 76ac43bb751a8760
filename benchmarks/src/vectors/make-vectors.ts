import type { Random } from '@witan/testing/create-random';

export const DIMENSIONS = 1_536;

/** A distribution of unit vectors, and of queries whose nearest vectors are searched. */
export type Distribution = {
  name: string;
  next: () => Float16Array;
  /** Returns a query: near to `vector` if the distribution has neighbourhoods. */
  toQuery: (vector: Float16Array) => Float16Array;
};

/** Number of vectors of one topic. */
const TOPIC_SIZE = 50;
/** Length of the noise around a centre of length 1, in a random direction. */
const NOISE = 1;
/** Length of the vector that all vectors of a cone share. */
const SHARED = 1.5;

/**
 * Returns three distributions. `random` has no neighbourhoods: the worst case of any index, since
 * all vectors are almost equally far from a query. `clustered` are topics of about 50 vectors.
 * `cone` are topics whose vectors have a common component, so that those of different topics have a
 * cosine of about 0.5, as with older embedding models.
 */
export const createDistributions = (random: Random, vectors: number): Distribution[] => {
  const topics = Math.ceil(vectors / TOPIC_SIZE);
  const centres = Array.from({ length: topics }, () => makeDirection(random));
  const shared = makeDirection(random);
  const around = (vector: Float64Array | Float16Array): Float64Array =>
    add(vector, makeDirection(random), NOISE);
  const pickCentre = () => centres[random.integer(0, topics - 1)]!;
  return [
    {
      name: 'random',
      next: () => toUnit(makeDirection(random)),
      toQuery: () => toUnit(makeDirection(random)),
    },
    {
      name: 'clustered',
      next: () => toUnit(around(pickCentre())),
      toQuery: (vector) => toUnit(around(vector)),
    },
    {
      name: 'cone',
      next: () => toUnit(add(around(pickCentre()), shared, SHARED)),
      toQuery: (vector) => toUnit(around(vector)),
    },
  ];
};

const makeDirection = (random: Random): Float64Array => {
  const vector = new Float64Array(DIMENSIONS);
  for (let index = 0; index < DIMENSIONS; index += 2) {
    // Box-Muller: two independent normal numbers.
    const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
    const angle = 2 * Math.PI * random.next();
    vector[index] = radius * Math.cos(angle);
    vector[index + 1] = radius * Math.sin(angle);
  }
  const length = Math.hypot(...vector);
  return vector.map((one) => one / length);
};

const add = (
  vector: Float64Array | Float16Array,
  other: Float64Array,
  factor: number,
): Float64Array => Float64Array.from(vector, (one, index) => one + factor * other[index]!);

const toUnit = (vector: Float64Array): Float16Array => {
  const length = Math.hypot(...vector);
  return Float16Array.from(vector, (one) => one / length);
};
