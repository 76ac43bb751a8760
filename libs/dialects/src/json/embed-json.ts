import { invalidRequest } from '@witan/contracts';
import { isTooDeep, MAX_JSON_DEPTH } from './read-members.ts';
import { parseExactly } from './parse-exactly.ts';

/**
 * Parses JSON text so that it can be a part of a body and its numbers are written as in the text.
 * Throws INVALID_REQUEST with `path` if the text is not JSON or is nested deeper than
 * `MAX_JSON_DEPTH`.
 */
export const embedJson = (text: string, path: string): unknown => {
  if (isTooDeep(text)) {
    const message = `${path}: the JSON text is nested deeper than ${MAX_JSON_DEPTH} levels.`;
    throw invalidRequest(message, { param: path });
  }
  try {
    return parseExactly(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidRequest(`${path}: must be JSON.`, { param: path });
  }
};
