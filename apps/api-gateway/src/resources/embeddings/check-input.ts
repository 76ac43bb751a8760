import { invalidRequest } from '@witan/contracts';
import { INPUTS_MAX, TOKENS_MAX } from './embedding-schema.ts';

const TOKEN_MAX = 2 ** 32 - 1;

/**
 * Throws INVALID_REQUEST, with the path of the first invalid item as `param`, for an input that is
 * neither a text, nor a list of texts, of tokens, or of lists of tokens. The first item decides
 * which of them a list is.
 */
export const checkInput = (input: unknown): void => {
  if (!Array.isArray(input)) return;
  const items: readonly unknown[] = input;
  const [first] = items;
  if (typeof first === 'number') return checkTokens(items, 'input');
  if (items.length > INPUTS_MAX) {
    throw refuse('input', `may hold ${INPUTS_MAX} inputs, not ${items.length}`);
  }
  const isText = typeof first === 'string';
  for (const [index, item] of items.entries()) {
    const path = `input[${index}]`;
    if (isText) checkText(item, path);
    else if (Array.isArray(item)) checkTokens(item, path);
    else throw refuse(path, index === 0 ? 'must be a text or tokens' : 'must be a list of tokens');
  }
};

const checkText = (item: unknown, path: string): void => {
  if (typeof item !== 'string') throw refuse(path, 'must be a text, as the first input is');
  if (item === '') throw refuse(path, 'must not be empty');
};

const checkTokens = (tokens: readonly unknown[], path: string): void => {
  if (tokens.length === 0 || tokens.length > TOKENS_MAX) {
    throw refuse(path, `must hold 1 to ${TOKENS_MAX} tokens`);
  }
  const invalid = tokens.findIndex((token) => !isToken(token));
  if (invalid >= 0)
    throw refuse(`${path}[${invalid}]`, `must be a whole number up to ${TOKEN_MAX}`);
};

const isToken = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= TOKEN_MAX;

const refuse = (param: string, problem: string): Error =>
  invalidRequest(`${param}: ${problem}.`, { param });
