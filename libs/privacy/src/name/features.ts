import { hashPair, lookUp, type Gazetteer } from './gazetteer.ts';
import { EDGE_TOKENS, FORM, type Tokens } from './tokenize.ts';

export const FEATURES = 34;

export const GATE_FEATURES = 7;

/**
 * Gazetteer flags of each token (`listed`), of each token with the one before (`pair`), and of each
 * token combined with its form (`listedForm`).
 */
export type Clues = { listed: Uint8Array; pair: Uint8Array; listedForm: Int32Array };

export const createClues = (length: number): Clues => ({
  listed: new Uint8Array(length + EDGE_TOKENS),
  pair: new Uint8Array(length + EDGE_TOKENS),
  listedForm: new Int32Array(length + EDGE_TOKENS),
});

export const readClues = (
  { count, word, form }: Tokens,
  gazetteer: Gazetteer,
  clues: Clues = createClues(count),
): Clues => {
  lookUpTokens({ count, word, form }, gazetteer, clues, EDGE_TOKENS, count);
  return clues;
};

/** Does a part of `readClues`: looks up the tokens from `from` to `to`. */
export const lookUpTokens = (
  { count, word, form }: Pick<Tokens, 'count' | 'word' | 'form'>,
  gazetteer: Gazetteer,
  { listed, listedForm }: Clues,
  from: number,
  to: number,
): void => {
  for (let index = from; index < to; index++) {
    const kind = form[index]!;
    const isWord = kind < FORM.punctuation && kind !== FORM.digits;
    listed[index] = isWord ? lookUp(gazetteer, word[index]!) : 0;
    listedForm[index] = listed[index]! * 16 + kind;
  }
  listedForm[count] = listedForm[count + 1] = listedForm[0] = listedForm[1] = FORM.edge;
};

export const readPairs = (
  { word, form }: Tokens,
  { pair }: Clues,
  gazetteer: Gazetteer,
  from: number,
  to: number,
): void => {
  for (let index = from; index <= to; index++) {
    const isPair = form[index]! < FORM.punctuation && form[index - 1]! < FORM.punctuation;
    pair[index] = isPair ? lookUp(gazetteer, hashPair(word[index - 1]!, word[index]!)) : 0;
  }
};

/** Hash multipliers: both combine values; `K` also spreads the result over the weight rows. */
const M = 0x2c1b_3c6d;
const K = 0x9e37_79b1;

/**
 * Writes the indexes of the weight rows of token `index` for the gate's features to `out`. A row
 * index is the top 32 − `shift` bits of a hash.
 */
export const writeGateFeatures = (
  { word, shape, form, key }: Tokens,
  { listedForm }: Clues,
  index: number,
  shift: number,
  out: Int32Array,
): void => {
  const listedForm0 = listedForm[index]!;
  const form0 = form[index]!;
  out[0] = Math.imul((Math.imul(word[index]!, M) + form0) ^ 0x1f83_d9ab, K) >>> shift;
  out[1] =
    Math.imul((Math.imul(listedForm[index - 1]!, M) + listedForm0) ^ 0x5be0_cd19, K) >>> shift;
  out[2] =
    Math.imul((Math.imul(listedForm[index + 1]!, M) + listedForm0) ^ 0x6a09_e667, K) >>> shift;
  out[3] = Math.imul((Math.imul(word[index - 1]!, M) + form0) ^ 0x3bb6_7ae8, K) >>> shift;
  out[4] = Math.imul((Math.imul(word[index + 1]!, M) + form0) ^ 0x3c6e_f372, K) >>> shift;
  out[5] = Math.imul((Math.imul(key[index]!, M) + form0) ^ 0x510e_527f, K) >>> shift;
  const shapes = Math.imul(shape[index]!, M) + Math.imul(shape[index - 1]!, K) + shape[index + 1]!;
  out[6] = Math.imul(shapes ^ 0x1b87_3593, K) >>> shift;
};

/**
 * Writes the indexes of the weight rows of token `index` for the name model's features to `out`,
 * from `outIndex`.
 */
export const writeFeatures = (
  text: string,
  tokens: Tokens,
  { pair, listedForm }: Clues,
  index: number,
  shift: number,
  out: Int32Array,
  outIndex: number,
): void => {
  const { word, shape, gap, form } = tokens;
  const w = word[index]!;
  const wordBefore = word[index - 1]!;
  const wordAfter = word[index + 1]!;
  const f = form[index]!;
  const l = listedForm[index]!;
  const formBefore = listedForm[index - 1]!;
  const formAfter = listedForm[index + 1]!;
  const s = shape[index]!;
  const inW = Math.imul(w, M);
  const inBefore = Math.imul(wordBefore, M);
  const inAfter = Math.imul(wordAfter, M);
  const inForm = Math.imul(l, M);
  const inFormBefore = Math.imul(formBefore, M);
  const inFormAfter = Math.imul(formAfter, M);
  const gaps = gap[index]! * 4 + gap[index + 1]!;
  const key = Math.imul(tokens.key[index]!, M);
  writeAffixes(text, tokens, index, shift, out, outIndex);
  out[outIndex + 4] = Math.imul((inW + f) ^ 0x428a_2f98, K) >>> shift;
  out[outIndex + 5] = Math.imul(w ^ 0x7137_4491, K) >>> shift;
  out[outIndex + 6] = Math.imul((inBefore + f) ^ 0xb5c0_fbcf, K) >>> shift;
  out[outIndex + 7] = Math.imul((inAfter + f) ^ 0xe9b5_dba5, K) >>> shift;
  out[outIndex + 8] = Math.imul(word[index - 2]! ^ 0x3956_c25b, K) >>> shift;
  out[outIndex + 9] = Math.imul(word[index + 2]! ^ 0x59f1_11f1, K) >>> shift;
  out[outIndex + 10] = Math.imul((inBefore + w) ^ 0x923f_82a4, K) >>> shift;
  out[outIndex + 11] = Math.imul((inAfter + w) ^ 0xab1c_5ed5, K) >>> shift;
  out[outIndex + 12] =
    Math.imul((inBefore + Math.imul(word[index - 2]!, K) + f) ^ 0xd807_aa98, K) >>> shift;
  out[outIndex + 13] =
    Math.imul((inAfter + Math.imul(word[index + 2]!, K) + f) ^ 0x1283_5b01, K) >>> shift;
  out[outIndex + 14] =
    Math.imul((inBefore + Math.imul(wordAfter, K) + f) ^ 0x2431_85be, K) >>> shift;
  out[outIndex + 15] = Math.imul(s ^ 0x550c_7dc3, K) >>> shift;
  const around = Math.imul(shape[index - 1]!, M) + Math.imul(shape[index + 1]!, K);
  out[outIndex + 16] = Math.imul((Math.imul(shape[index - 1]!, M) + s) ^ 0x72be_5d74, K) >>> shift;
  out[outIndex + 17] = Math.imul((Math.imul(shape[index + 1]!, M) + s) ^ 0x80de_b1fe, K) >>> shift;
  out[outIndex + 18] = Math.imul((around + s) ^ 0x9bdc_06a7, K) >>> shift;
  out[outIndex + 19] = Math.imul(l ^ 0xc19b_f174, K) >>> shift;
  out[outIndex + 20] = Math.imul((inFormBefore + l) ^ 0xe49b_69c1, K) >>> shift;
  out[outIndex + 21] = Math.imul((inFormAfter + l) ^ 0xefbe_4786, K) >>> shift;
  out[outIndex + 22] =
    Math.imul((inFormBefore + Math.imul(formAfter, K) + l) ^ 0x0fc1_9dc6, K) >>> shift;
  out[outIndex + 23] = Math.imul((inBefore + l) ^ 0x240c_a1cc, K) >>> shift;
  out[outIndex + 24] = Math.imul((inAfter + l) ^ 0x2de9_2c6f, K) >>> shift;
  out[outIndex + 25] =
    Math.imul((inFormBefore + listedForm[index - 2]!) ^ 0x4a74_84aa, K) >>> shift;
  out[outIndex + 26] = Math.imul((inFormAfter + listedForm[index + 2]!) ^ 0x5cb0_a9dc, K) >>> shift;
  const forms = ((form[index - 1]! * 16 + form[index + 1]!) * 16 + f) * 16;
  out[outIndex + 27] = Math.imul((forms + gaps) ^ 0x76f9_88da, K) >>> shift;
  out[outIndex + 28] = Math.imul((key + f) ^ 0x983e_5152, K) >>> shift;
  out[outIndex + 29] = Math.imul((key + l) ^ 0xa831_c66d, K) >>> shift;
  out[outIndex + 30] = Math.imul((pair[index]! * 16 + f) ^ 0xb003_27c8, K) >>> shift;
  out[outIndex + 31] = Math.imul((pair[index + 1]! * 16 + f) ^ 0xbf59_7fc7, K) >>> shift;
  out[outIndex + 32] =
    Math.imul((inForm + Math.imul(word[index - 2]!, K)) ^ 0xc6e0_0bf3, K) >>> shift;
  out[outIndex + 33] = Math.imul((inForm + gaps) ^ 0xd5a7_9147, K) >>> shift;
};

const writeAffixes = (
  text: string,
  { start, end, form }: Tokens,
  index: number,
  shift: number,
  out: Int32Array,
  outIndex: number,
): void => {
  const f = form[index]!;
  if (f >= FORM.punctuation || f === FORM.digits) {
    out[outIndex] =
      out[outIndex + 1] =
      out[outIndex + 2] =
      out[outIndex + 3] =
        Math.imul(f ^ 0x06ca_6351, K) >>> shift;
    return;
  }
  const first = start[index]!;
  const last = end[index]! - 1;
  let head = text.charCodeAt(first) | 32;
  if (last > first) head = Math.imul(head, 0x101) + (text.charCodeAt(first + 1) | 32);
  if (last > first + 1) head = Math.imul(head, 0x101) + (text.charCodeAt(first + 2) | 32);
  let tail = text.charCodeAt(last) | 32;
  if (last > first) tail = Math.imul(tail, 0x101) + (text.charCodeAt(last - 1) | 32);
  out[outIndex] = Math.imul(Math.imul(head, M) ^ 0x1429_2967, K) >>> shift;
  out[outIndex + 1] = Math.imul(Math.imul(tail, M) ^ 0x27b7_0a85, K) >>> shift;
  if (last > first + 1) tail = Math.imul(tail, 0x101) + (text.charCodeAt(last - 2) | 32);
  out[outIndex + 2] = Math.imul((Math.imul(tail, M) + f) ^ 0x2e1b_2138, K) >>> shift;
  if (last > first + 2) tail = Math.imul(tail, 0x101) + (text.charCodeAt(last - 3) | 32);
  out[outIndex + 3] = Math.imul(Math.imul(tail, M) ^ 0x4d2c_6dfc, K) >>> shift;
};
