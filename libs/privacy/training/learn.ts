import { createCharTable, type CharTable } from '../src/name/char-table.ts';
import { FEATURES, readClues, readPairs, writeFeatures, type Clues } from '../src/name/features.ts';
import {
  createPathFinder,
  LABEL_COUNT,
  NAME_CATEGORIES,
  ROW_LENGTH,
} from '../src/name/find-path.ts';
import { LISTED, type Gazetteer } from '../src/name/gazetteer.ts';
import { markKeys } from '../src/name/keys.ts';
import { EDGE_TOKENS, FORM, tokenize, type Tokens } from '../src/name/tokenize.ts';
import type { NameWeights } from '../src/name/weights.ts';
import { createWindowFinder, shiftFor, type WindowFinder } from '../src/name/windows.ts';
import type { Example } from './examples.ts';
import { learnGate } from './learn-gate.ts';
import type { Random } from './random.ts';
import type { Prepared } from './learn-gate.ts';

export type Recipe = {
  rows: number;
  epochs: number;
  margin: number;
  missMargin: number;
  /** Number of perceptrons that are averaged, and the share of the windows each learns from. */
  models: number;
  share: number;
};

type Window = { features: Int32Array; allowed: Uint16Array; length: number };

/**
 * Gate threshold for training; lower than the one in use, so that training includes more tokens
 * that are not names.
 */
const TRAINING_THRESHOLD = -90;

const ANY_LABEL = (1 << LABEL_COUNT) - 1;

/** Returns the correct labels of each token as a bit set. */
const goldLabels = (
  tokens: Tokens,
  { listed }: Clues,
  { names, free, unknown }: Example,
): Uint16Array => {
  const allowed = new Uint16Array(tokens.count + EDGE_TOKENS);
  const outside = unknown.reduce(
    (labels, category) => labels | (0b110 << (2 * NAME_CATEGORIES.indexOf(category as never))),
    1,
  );
  let next = 0;
  let open = 0;
  let previous = -1;
  for (let index = EDGE_TOKENS; index < tokens.count; index++) {
    const start = tokens.start[index]!;
    const end = tokens.end[index]!;
    while (names[next] !== undefined && names[next]!.end <= start) next++;
    while (free[open] !== undefined && free[open]!.end <= start) open++;
    const span = names[next];
    if (span !== undefined && span.start < end) {
      const label = 2 * NAME_CATEGORIES.indexOf(span.category as never) + 1;
      allowed[index] = 1 << (previous === next ? label + 1 : label);
      previous = next;
    } else {
      const freeSpan = free[open];
      const isPlace = tokens.form[index] === FORM.capital && (listed[index]! & LISTED.place) !== 0;
      allowed[index] =
        freeSpan !== undefined && freeSpan.start < end ? ANY_LABEL : isPlace ? outside : 1;
    }
  }
  return allowed;
};

const prepare = (example: Example, gazetteer: Gazetteer, table: CharTable): Prepared => {
  const tokens = tokenize(example.text, example.taken, table);
  markKeys(example.text, tokens, table);
  const clues = readClues(tokens, gazetteer);
  return { text: example.text, tokens, clues, allowed: goldLabels(tokens, clues, example) };
};

const compile = (
  { text, tokens, clues, allowed }: Prepared,
  shift: number,
  gazetteer: Gazetteer,
  forEachWindow: WindowFinder,
): Window[] => {
  const windows: Window[] = [];
  const { readTo, finish } = forEachWindow(tokens, clues, (from, to) => {
    readPairs(tokens, clues, gazetteer, from, to);
    const features = new Int32Array((to - from) * FEATURES);
    for (let index = from; index < to; index++)
      writeFeatures(text, tokens, clues, index, shift, features, (index - from) * FEATURES);
    windows.push({ features, allowed: allowed.slice(from, to), length: to - from });
  });
  readTo(tokens.count);
  finish();
  return windows;
};

/** Writes the sum of the weights of each token and label to `emissions`. */
export const sumRows = (
  rows: Int8Array | Float32Array,
  features: Int32Array,
  emissions: Float64Array,
  length: number,
): void => {
  emissions.fill(0, 0, length * LABEL_COUNT);
  for (let index = 0; index < length * FEATURES; index++) {
    const offset = Math.floor(index / FEATURES) * LABEL_COUNT + 1;
    const row = features[index]! * ROW_LENGTH;
    for (let label = 0; label < ROW_LENGTH; label++)
      emissions[offset + label]! += rows[row + label]!;
  }
};

/**
 * Trains the weights: the mean of averaged structured perceptrons with a margin, each trained on
 * its own random share of the windows. The mean varies less with the sample than one of them.
 */
export const learn = (
  examples: readonly Example[],
  gazetteer: Gazetteer,
  recipe: Recipe,
  random: Random,
  report: (line: string) => void,
): NameWeights => {
  const table = createCharTable();
  const texts = examples.map((example) => prepare(example, gazetteer, table));
  const gate = learnGate(texts, random, report);
  const forEachWindow = createWindowFinder({ ...gate, threshold: TRAINING_THRESHOLD });
  const shift = shiftFor(recipe.rows);
  const windows = texts.flatMap((text) => compile(text, shift, gazetteer, forEachWindow));
  report(`${examples.length} examples, ${windows.length} windows`);
  const mean = createWeights(recipe.rows);
  for (let model = 1; model <= recipe.models; model++) {
    const sample = windows.filter(() => random.chance(recipe.share));
    const { rows, steps } = learnOnce(sample, recipe, random, (line) =>
      report(`model ${model}, ${line}`),
    );
    rows.forEach((value, index) => (mean.rows[index]! += value / recipe.models));
    steps.forEach((value, index) => (mean.steps[index]! += value / recipe.models));
  }
  return { ...mean, gazetteer, gate };
};

type Weights = { rows: Float32Array; steps: Float32Array };

const createWeights = (rows: number): Weights => ({
  rows: new Float32Array(rows * ROW_LENGTH),
  steps: new Float32Array(LABEL_COUNT * LABEL_COUNT),
});

const learnOnce = (
  windows: readonly Window[],
  { rows, epochs, margin, missMargin }: Recipe,
  random: Random,
  report: (line: string) => void,
): Weights => {
  const finder = createPathFinder();
  const weights = createWeights(rows);
  const weightedSums = {
    rows: new Float64Array(rows * ROW_LENGTH),
    steps: new Float64Array(LABEL_COUNT * LABEL_COUNT),
  };
  const gold = new Uint8Array(512);
  const guess = new Uint8Array(512);
  let iteration = 1;
  const add = (which: 'rows' | 'steps', index: number, delta: number): void => {
    weights[which][index]! += delta;
    weightedSums[which][index]! += delta * iteration;
  };
  const update = (path: Uint8Array, window: Window, otherPath: Uint8Array, delta: number): void => {
    for (let index = 0; index < window.length; index++) {
      const label = path[index]!;
      const previousLabel = index === 0 ? 0 : path[index - 1]!;
      if (label === otherPath[index] && (index === 0 || previousLabel === otherPath[index - 1]))
        continue;
      add('steps', previousLabel * LABEL_COUNT + label, delta);
      if (label === 0 || label === otherPath[index]) continue;
      for (let feature = index * FEATURES; feature < (index + 1) * FEATURES; feature++)
        add('rows', window.features[feature]! * ROW_LENGTH + label - 1, delta);
    }
  };
  const order = [...windows];
  for (let epoch = 0; epoch < epochs; epoch++) {
    let mistakes = 0;
    for (const window of random.shuffle(order)) {
      const { features, allowed, length } = window;
      finder.features.set(features);
      sumRows(weights.rows, finder.features, finder.emissions, length);
      finder.find(weights.steps, length, gold, (index) => allowed[index]!);
      for (let index = 0; index < length; index++) {
        const cost = gold[index] === 0 ? margin : missMargin;
        for (let label = 0; label < LABEL_COUNT; label++)
          if (((allowed[index]! >> label) & 1) === 0)
            finder.emissions[index * LABEL_COUNT + label]! += label === 0 ? cost : margin;
      }
      finder.find(weights.steps, length, guess);
      const isMistake = gold.subarray(0, length).some((label, index) => label !== guess[index]);
      if (isMistake) {
        mistakes++;
        update(gold, window, guess, 1);
        update(guess, window, gold, -1);
      }
      iteration++;
    }
    report(`epoch ${epoch + 1}: ${mistakes} windows wrong`);
  }
  const averaged = (which: 'rows' | 'steps'): Float32Array =>
    weights[which].map((value, index) => value - weightedSums[which][index]! / iteration);
  return { rows: averaged('rows'), steps: averaged('steps') };
};

const MIN_WEIGHT = 1;

export const quantise = ({ rows, steps, gazetteer, gate }: NameWeights): NameWeights => {
  const sizes = Float32Array.from(rows, Math.abs).toSorted();
  const largest = sizes[Math.floor(sizes.length * 0.9998)] ?? 1;
  const scale = 127 / largest;
  const round = (value: number): number => Math.round(value * scale);
  const roundOrDrop = (value: number): number =>
    Math.abs(value * scale) < MIN_WEIGHT ? 0 : round(value);
  return {
    rows: Int8Array.from(rows, (value) => Math.max(-127, Math.min(127, roundOrDrop(value)))),
    steps: Int16Array.from(steps, (value) => Math.max(-32_767, Math.min(32_767, round(value)))),
    gazetteer,
    gate,
  };
};
