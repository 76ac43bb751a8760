import { hash } from 'node:crypto';
import { invalidRequest } from '@witan/contracts';
import { encodeVectors } from '@witan/dialects';
import type { JsonObject } from '@witan/dialects';
import { termsOf } from './terms.ts';

const DIMENSIONS_DEFAULT = 256;
const DIMENSIONS_MAX = 4_096;
/** Number of dimensions to which a term adds a value. */
const SPREAD = 4;
const CHARACTERS_PER_TOKEN = 4;

/**
 * Returns the response to a request for embeddings. A vector is the sum of vectors that hashes of
 * the terms determine, with length 1: equal texts get equal vectors, and texts with common terms
 * similar ones. Throws INVALID_REQUEST for an invalid input or number of dimensions.
 */
export const writeEmbeddings = (request: JsonObject, model: string): JsonObject => {
  const { input, dimensions = DIMENSIONS_DEFAULT, encoding_format: encoding } = request;
  if (
    !Number.isInteger(dimensions) ||
    Number(dimensions) < 1 ||
    Number(dimensions) > DIMENSIONS_MAX
  ) {
    throw invalidRequest(`dimensions: must be from 1 to ${DIMENSIONS_MAX}.`, {
      param: 'dimensions',
    });
  }
  const inputs = toInputs(input);
  const data = inputs.map((item, index) => {
    const terms = typeof item === 'string' ? [...termsOf(item)] : item.map(String);
    const embedding = toVector([...terms, JSON.stringify(item)], Number(dimensions));
    return { object: 'embedding', index, embedding };
  });
  const tokens = inputs.reduce((sum, item) => sum + countTokens(item), 0);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  const body = { object: 'list', data, model, usage };
  return encodeVectors(body, encoding === 'base64' ? 'base64' : 'float');
};

type Input = string | readonly number[];

const toInputs = (input: unknown): Input[] => {
  const list: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (list.length > 0 && list.every((item) => typeof item === 'number')) return [list];
  const inputs = list.filter(
    (item): item is Input =>
      typeof item === 'string' ||
      (Array.isArray(item) && item.every((token) => typeof token === 'number')),
  );
  if (inputs.length > 0 && inputs.length === list.length) return inputs;
  throw invalidRequest('input: must be a text, tokens, or a list of either.', { param: 'input' });
};

const countTokens = (input: Input): number =>
  typeof input === 'string' ? Math.ceil(input.length / CHARACTERS_PER_TOKEN) : input.length;

const toVector = (terms: readonly string[], dimensions: number): number[] => {
  const vector = new Float64Array(dimensions);
  for (const term of terms) {
    const digest = hash('sha256', term, 'buffer');
    for (let part = 0; part < SPREAD; part += 1) {
      const number = digest.readUInt32LE(part * 4);
      // The highest bit is the sign, because the others choose the dimension.
      vector[number % dimensions]! += number >= 2 ** 31 ? 1 : -1;
    }
  }
  const length = Math.hypot(...vector);
  // Terms can cancel each other out.
  if (length === 0) vector[0] = 1;
  return [...vector].map((value) => Math.fround(value / (length || 1)));
};
