import type { JsonObject, Refusal } from '../dialect.ts';
import { asObject, asText } from '../json/lenient.ts';

/**
 * What an error body says. Beside `{error: {message, param, code}}` it reads what local runtimes
 * send: the same members without the object around them, a text as `error`, or `detail`.
 */
export const decodeError = (body: JsonObject): Refusal => {
  const error = asObject(body.error) ?? body;
  return {
    message: asText(error.message) || asText(body.error) || asText(body.detail),
    code: asText(error.code),
    param: asText(error.param),
  };
};
