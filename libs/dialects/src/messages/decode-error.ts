import type { JsonObject, Refusal } from '../dialect.ts';
import { asObject, asText } from '../json/lenient.ts';

/**
 * A provider's error in neutral words; total, whatever the body holds. The type of an error follows
 * from its status in both dialects and is left out; the code is the finer one of newer errors.
 */
export const decodeError = (body: JsonObject): Refusal => {
  const error = asObject(body.error);
  const message = asText(error?.message) || asText(body.error) || asText(body.message);
  const code = asText(asObject(error?.details)?.error_code) || asText(error?.code);
  return { message, code, param: asText(error?.param) };
};
