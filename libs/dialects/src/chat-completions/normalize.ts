import type { AnswerNormalizer } from '../dialect.ts';
import { asList, asNumber, asObject, asText, orderByIndex } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { defaultCallId, toArguments } from './decode-response.ts';
import { createJsonProgress } from './decode-stream.ts';
import { toErrorType } from './encode-error.ts';

/** Status of errors that a provider reports after it has answered with status 200. */
const LATE_ERROR_STATUS = 502;

const FINISH_REASONS = new Set<unknown>([
  ...['stop', 'length', 'tool_calls', 'content_filter', 'function_call'],
]);
/** Finish reasons of an answer that reached the limit of the model, by other names. */
const LENGTH_REASONS = new Set<unknown>(['model_length', 'max_tokens']);
/** Finish reasons of an answer that is incomplete because the provider failed. */
const FAILURE_REASONS = new Set<unknown>(['error', 'abort', 'insufficient_system_resource']);

/**
 * Creates a normalizer of one answer, which returns its chunks in the form of OpenAI's API. The
 * deviations of providers that it knows are listed, with their sources, in docs/providers.md. A
 * value that has this form is returned unchanged, as the same object.
 */
export const createAnswerNormalizer = (): AnswerNormalizer => {
  const choices = new Map<number, ChoiceNormalizer>();
  /** Members of chunks without choices, which the next chunk takes over. */
  let buffered: JsonObject | undefined;
  let first: JsonObject | undefined;
  const choiceAt = (index: number): ChoiceNormalizer => {
    const known = choices.get(index) ?? createChoiceNormalizer();
    choices.set(index, known);
    return known;
  };
  const normalizeChoices = (chunk: JsonObject): JsonObject => {
    const list = asList(chunk.choices);
    const normalized = mapChanged(list, (choice, position) =>
      choiceAt(asNumber(choice.index) ?? position).chunk(choice),
    );
    const changed = normalized === list ? chunk : { ...chunk, choices: normalized };
    return withFailure(changed);
  };
  return {
    chunk: (chunk) => {
      if (buffered === undefined && first !== undefined && isUsual(chunk)) return chunk;
      if (chunk.error != null || isBareError(chunk)) return normalizeLateError(chunk);
      if (!Array.isArray(chunk.choices)) return chunk;
      if (chunk.choices.length === 0 && chunk.usage == null) {
        const { id: _id, object: _object, created: _created, model: _model, ...rest } = chunk;
        const { choices: _choices, ...members } = rest;
        buffered = { ...buffered, ...members };
        return [];
      }
      first ??= readHead(chunk);
      const merged = buffered ? { ...buffered, ...chunk } : chunk;
      buffered = undefined;
      return normalizeChoices(withHead(merged, first));
    },
    body: (body) => {
      if (body.error != null || isBareError(body)) return normalizeLateError(body);
      const list = asList(body.choices);
      const normalized = mapChanged(orderByIndex(list), normalizeWholeChoice);
      return withFailure(normalized === list ? body : { ...body, choices: normalized });
    },
  };
};

/**
 * An error with a message stays as the provider wrote it, like every answer in its own dialect. One
 * in a chunk with choices, as of OpenRouter, does not: clients read it as a chunk.
 */
const normalizeLateError = (value: JsonObject): JsonObject =>
  value.choices === undefined && typeof asObject(value.error)?.message === 'string'
    ? value
    : normalizeError(value, LATE_ERROR_STATUS);

/** Returns whether a chunk only appends text, as most do; such chunks must cost little. */
const isUsual = ({ error, id, choices }: JsonObject): boolean => {
  if (error != null || id === '' || !Array.isArray(choices) || choices.length !== 1) return false;
  const choice = asObject(choices[0]);
  const delta = asObject(choice?.delta);
  return choice?.finish_reason === null && delta !== undefined && delta.tool_calls === undefined;
};

const HEAD = ['id', 'object', 'created', 'model'] as const;

const readHead = (chunk: JsonObject): JsonObject =>
  Object.fromEntries(HEAD.map((name) => [name, chunk[name]]));

/** Fills members that Azure leaves empty in chunks of its content filter. */
const withHead = (chunk: JsonObject, first: JsonObject): JsonObject => {
  const empty = HEAD.filter((name) => !chunk[name] && name in chunk && first[name]);
  if (empty.length === 0) return chunk;
  return { ...chunk, ...Object.fromEntries(empty.map((name) => [name, first[name]])) };
};

type ChoiceNormalizer = { chunk: (choice: JsonObject) => JsonObject };

const createChoiceNormalizer = (): ChoiceNormalizer => {
  const calls = createCallNumbers();
  let hasDeviated = false;
  return {
    chunk: (choice) => {
      const delta = asObject(choice.delta);
      const pieces = asList(delta?.tool_calls);
      const numbered = mapChanged(pieces, calls.number);
      hasDeviated ||= numbered !== pieces;
      const reason = toFinishReason(choice.finish_reason, hasDeviated);
      // Gemini ends with `stop` also after a chunk that said `tool_calls`.
      hasDeviated ||= reason === 'tool_calls';
      if (delta && numbered === pieces && reason === choice.finish_reason) return choice;
      const tools = numbered === pieces ? {} : { tool_calls: numbered };
      return { ...withReason(choice, reason), delta: { ...delta, ...tools } };
    },
  };
};

const normalizeWholeChoice = (choice: JsonObject): JsonObject => {
  const message = asObject(choice.message);
  const calls = asList(message?.tool_calls);
  const completed = mapChanged(calls, (call, position) => completeCall(call, position));
  const reason = toFinishReason(choice.finish_reason, completed !== calls);
  if (completed === calls && reason === choice.finish_reason) return choice;
  const tools = completed === calls ? {} : { message: { ...message, tool_calls: completed } };
  return { ...withReason(choice, reason), ...tools };
};

/** Adds the provider's own reason under the name that OpenRouter uses for it. */
const withReason = (choice: JsonObject, reason: unknown): JsonObject =>
  reason === choice.finish_reason
    ? choice
    : { native_finish_reason: choice.finish_reason, ...choice, finish_reason: reason };

/**
 * Returns a finish reason of OpenAI. `stop` becomes `tool_calls` only if the tool calls deviate,
 * too, because OpenAI itself ends a call that the request forces with `stop`.
 */
const toFinishReason = (reason: unknown, haveCallsDeviated: boolean): unknown => {
  if (reason === null || reason === undefined || reason === '') return reason;
  if (haveCallsDeviated && reason === 'stop') return 'tool_calls';
  if (FINISH_REASONS.has(reason) || FAILURE_REASONS.has(reason)) return reason;
  return LENGTH_REASONS.has(reason) ? 'length' : 'stop';
};

/**
 * Adds an error to a chunk or body in which a choice ended because the provider failed, because
 * clients do not know such finish reasons and would take the answer for complete.
 */
const withFailure = (value: JsonObject): JsonObject => {
  const failed = asList(value.choices)
    .map((choice) => asObject(choice)?.finish_reason)
    .find((reason): reason is string => typeof reason === 'string' && FAILURE_REASONS.has(reason));
  if (failed === undefined) return value;
  const message = `The model provider ended its answer early, with the reason ${failed}.`;
  const error = { message, type: 'server_error', param: null, code: 'upstream_error' };
  return { ...value, error };
};

type Numbered = {
  index: number;
  id: string;
  /** True if the provider sent no id with the first piece. */
  isOwnId: boolean;
  progress: ReturnType<typeof createJsonProgress>;
};

/**
 * Numbers the pieces of tool calls. A piece without an index belongs to the call with its id; a
 * piece without both belongs to the last call, unless it has a name and that call is complete. A
 * piece with the index of a call, but another id and a name, begins a new call.
 */
const createCallNumbers = () => {
  const calls: Numbered[] = [];
  const byIndex = new Map<number, Numbered>();
  const find = (piece: JsonObject): Numbered | undefined => {
    const id = asText(piece.id);
    const index = asNumber(piece.index);
    const isNamed = asText(asObject(piece.function)?.name) !== '';
    if (index !== undefined) {
      const call = byIndex.get(index);
      return call && isNamed && id !== '' && !call.isOwnId && call.id !== id ? undefined : call;
    }
    if (id !== '') return calls.find((call) => call.id === id);
    const last = calls.at(-1);
    return last && isNamed && last.progress.isComplete ? undefined : last;
  };
  const open = (piece: JsonObject): Numbered => {
    const id = asText(piece.id);
    const sent = asNumber(piece.index);
    const isFree = sent !== undefined && !calls.some(({ index }) => index === sent);
    const index = isFree ? sent : Math.max(-1, ...calls.map((call) => call.index)) + 1;
    const progress = createJsonProgress();
    const call = { index, id: id || defaultCallId(index), isOwnId: id === '', progress };
    calls.push(call);
    if (sent !== undefined) byIndex.set(sent, call);
    return call;
  };
  const number = (piece: JsonObject): JsonObject => {
    const known = find(piece);
    const call = known ?? open(piece);
    const called = asObject(piece.function);
    // Only pieces without an index need it; scanning the others would take time in every stream.
    if (asNumber(piece.index) === undefined) call.progress.addPiece(toArguments(called?.arguments));
    const numbered = known ? continueCall(piece) : completeCall(piece, call.index);
    return numbered.index === call.index ? numbered : { ...numbered, index: call.index };
  };
  return { number };
};

/**
 * Returns a later piece of a call, which has only arguments: clients append repeated ids and names
 * to the first ones.
 */
const continueCall = (piece: JsonObject): JsonObject => {
  const withText = withTextArguments(piece);
  const { id, type, function: called, ...rest } = withText;
  const { name, ...texts } = asObject(called) ?? {};
  if (id === undefined && type === undefined && name === undefined) return withText;
  return asObject(called) ? { ...rest, function: texts } : rest;
};

/** Returns a call with an id, a type, and arguments that are text. */
const completeCall = (call: JsonObject, index: number): JsonObject => {
  const withText = withTextArguments(call);
  const id = asText(call.id) || defaultCallId(index);
  const type = asText(call.type) || 'function';
  return id === call.id && type === call.type ? withText : { ...withText, id, type };
};

const withTextArguments = (call: JsonObject): JsonObject => {
  const called = asObject(call.function);
  if (!asObject(called?.arguments)) return call;
  return { ...call, function: { ...called, arguments: toArguments(called?.arguments) } };
};

/** Maps the objects of a list; returns the list itself if no item changed. */
const mapChanged = (
  list: readonly unknown[],
  map: (item: JsonObject, position: number) => JsonObject,
): readonly unknown[] => {
  let changed: unknown[] | undefined;
  for (const [position, item] of list.entries()) {
    const object = asObject(item);
    const mapped = object && map(object, position);
    if (mapped === undefined || mapped === item) continue;
    changed ??= [...list];
    changed[position] = mapped;
  }
  return changed ?? list;
};

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
