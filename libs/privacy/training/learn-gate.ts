import { type Clues } from '../src/name/features.ts';
import { type Tokens } from '../src/name/tokenize.ts';
import { GATE_FEATURES, writeGateFeatures } from '../src/name/features.ts';
import { EDGE_TOKENS } from '../src/name/tokenize.ts';
import { mayBeName, shiftFor, type Gate } from '../src/name/windows.ts';
import type { Random } from './random.ts';

const ROWS = 32_768;
const EPOCHS = 4;
const RATE = 0.15;
/** Cost of rejecting a name, relative to the cost of decoding a word that is not a name. */
const MISS_COST = 6;
/** Maximum share of the name tokens in the training data that the gate may reject. */
const MAX_LOST_SHARE = 0.004;

/**
 * Trains the logistic regression of the gate. It has no bias of its own; the bias is distributed
 * over the rows.
 */
export const learnGate = (
  texts: readonly Prepared[],
  random: Random,
  report: (line: string) => void,
): Gate => {
  const rows = new Float32Array(ROWS);
  const shift = shiftFor(ROWS);
  const features = new Int32Array(GATE_FEATURES);
  const score = ({ tokens, clues }: Prepared, index: number): number => {
    writeGateFeatures(tokens, clues, index, shift, features);
    let sum = 0;
    for (const row of features) sum += rows[row]!;
    return sum;
  };
  const forEachCandidate = (
    text: Prepared,
    visit: (index: number, isName: boolean) => void,
  ): void => {
    for (let index = EDGE_TOKENS; index < text.tokens.count; index++) {
      const allowed = text.allowed[index]!;
      const isKnown = allowed === 1 || (allowed & 1) === 0;
      if (isKnown && mayBeName(text.tokens, text.clues, index)) visit(index, allowed !== 1);
    }
  };
  const order = [...texts];
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const rate = RATE / (1 + epoch);
    for (const text of random.shuffle(order))
      forEachCandidate(text, (index, isName) => {
        const probability = 1 / (1 + Math.exp(-score(text, index)));
        const step = rate * (isName ? MISS_COST * (1 - probability) : -probability);
        for (const row of features) rows[row]! += step;
      });
  }
  const nameScores: number[] = [];
  const otherScores: number[] = [];
  for (const text of texts)
    forEachCandidate(text, (index, isName) =>
      (isName ? nameScores : otherScores).push(score(text, index)),
    );
  nameScores.sort((a, b) => a - b);
  const threshold = Math.min(0, nameScores[Math.floor(nameScores.length * MAX_LOST_SHARE)] ?? 0);
  const acceptedCount = otherScores.filter((otherScore) => otherScore > threshold).length;
  report(
    `gate: threshold ${threshold.toFixed(2)}, ` +
      `${acceptedCount} of ${otherScores.length} others accepted`,
  );
  const shifted = rows.map((value) => value - threshold / GATE_FEATURES);
  const scale = 127 / shifted.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  return { rows: Int8Array.from(shifted, (value) => Math.round(value * scale)), threshold: 0 };
};

export type Prepared = { text: string; tokens: Tokens; clues: Clues; allowed: Uint16Array };
