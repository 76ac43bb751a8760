import type { Refusal } from '../dialect.ts';
import type { JsonObject } from '../json/lenient.ts';
import { asObject, asText } from '../json/lenient.ts';

/**
 * Decodes a provider's error and never throws, whatever the body contains. The error type is
 * omitted, because both dialects derive it from the status.
 */
export const decodeError = (body: JsonObject): Refusal => {
  const error = asObject(body.error);
  const message = asText(error?.message) || asText(body.error) || asText(body.message);
  const code = asText(asObject(error?.details)?.error_code) || asText(error?.code);
  return { message, code, param: asText(error?.param) };
};
