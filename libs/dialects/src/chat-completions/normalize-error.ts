import { asList, asNumber, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { toErrorType } from './encode-error.ts';

/**
 * Returns the JSON text of a provider's error in the form of OpenAI's API, `{error: {message, type,
 * param, code}}`, or undefined if it has that form already or is no error that can be read. Accepts
 * the forms of docs/providers.md: a list with one error, an error without the member `error`, a
 * numeric code, and the list of invalid fields that pydantic writes.
 */
export const normalizeErrorText = (text: string, status: number): string | undefined => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const object = asObject(body) ?? asObject(asList(body)[0]);
  const normalized = object && normalizeError(object, status);
  return normalized === undefined || normalized === body ? undefined : JSON.stringify(normalized);
};

/** Returns an error body in the form of OpenAI's API; the same object if it has it already. */
export const normalizeError = (body: JsonObject, status: number): JsonObject => {
  const nested = asObject(body.error);
  if (nested && isPlainError(nested)) return body;
  const source = nested ?? (typeof body.error === 'string' ? { message: body.error } : body);
  const { code, param, type } = source;
  const error = {
    ...(nested ?? {}),
    message: findMessage(source) ?? `The model provider answered with status ${status}.`,
    // Some providers send the name of an exception instead.
    type: /^[a-z_]+$/.test(asText(type)) ? type : toErrorType(status),
    param: typeof param === 'string' ? param : null,
    code: asNumber(code) === undefined ? asText(code) || null : String(code),
  };
  return nested ? { ...body, error } : { error };
};

/** Returns whether a body without `error` is an error of vLLM or Mistral. */
export const isBareError = (body: JsonObject): boolean =>
  body.object === 'error' && body.message !== undefined;

const isPlainError = ({ message, type, param, code }: JsonObject): boolean =>
  typeof message === 'string' &&
  (typeof type === 'string' || type === undefined) &&
  [param, code].every((member) => member == null || typeof member === 'string');

const findMessage = ({ message, detail }: JsonObject): string | undefined =>
  toMessage(message) ?? toMessage(detail);

const toMessage = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value === '' ? undefined : value;
  const problems = asList(asObject(value)?.detail ?? value).map(toProblem);
  return problems.length === 0 ? undefined : problems.join('; ');
};

/** Returns an invalid field, such as `body.store: Extra inputs are not permitted`. */
const toProblem = (value: unknown): string => {
  const { loc, msg } = asObject(value) ?? {};
  return typeof msg === 'string' ? `${asList(loc).join('.')}: ${msg}` : JSON.stringify(value);
};
