import { invalidRequest } from '@witan/contracts';
import { isTooDeep, MAX_JSON_DEPTH } from './is-too-deep.ts';
import { parseExactly } from './parse-exactly.ts';

/**
 * The value of a JSON text, to be written into a body with its numbers spelled as they are. Throws
 * INVALID_REQUEST naming `path` when the text is not JSON, or nested deeper than `MAX_JSON_DEPTH`.
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
