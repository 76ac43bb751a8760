import type { Refusal } from '../dialect.ts';
import type { JsonObject } from '../json/lenient.ts';
import { asObject, asText } from '../json/lenient.ts';

/**
 * Decodes a provider's error body. Accepts OpenAI's `{error: {message, param, code}}` and the forms
 * of local runtimes: these members at the top level, a string as `error`, or `detail`.
 */
export const decodeError = (body: JsonObject): Refusal => {
  const error = asObject(body.error) ?? body;
  return {
    message: asText(error.message) || asText(body.error) || asText(body.detail),
    code: asText(error.code),
    param: asText(error.param),
  };
};
