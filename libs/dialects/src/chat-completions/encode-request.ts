import { invalidRequest } from '@witan/contracts';
import type { Tool, Conversation, ResponseFormat, Sampling } from '@witan/contracts';
import type { EgressTarget, Encoded } from '../dialect.ts';
import { asObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { embedJson } from '../json/parse-exactly.ts';
import { createDroppedFields, unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { withoutLengths } from '../neutral/answer-schema.ts';
import { isOpenaiStrictSchema, SCHEMA_NAME } from '../neutral/is-openai-strict-schema.ts';
import { joinRoles } from '../neutral/join-roles.ts';
import { reasoningAllowance, toEffort } from '../neutral/reasoning-allowance.ts';
import { encodeTurns } from './encode-turns.ts';
import { limitNameOf, OPENAI_MODEL, isReasoningModel, acceptsLowEffort } from './request.ts';

/** Maximum number of stop sequences that OpenAI accepts. */
const MAX_STOPS = 4;
const MAX_USER_LENGTH = 64;

/**
 * Encodes a neutral call as JSON; equal calls give equal text. Dropped fields are named as in the
 * messages dialect, from which client requests are converted. Throws INVALID_REQUEST for a field
 * that is invalid or that this dialect cannot express.
 */
export const encodeRequest = (conversation: Conversation, target: EgressTarget): Encoded => {
  const dropped = createDroppedFields();
  const { streamed, sampling, system } = conversation;
  const turns = joinRoles(conversation.turns);
  const effort = encodeEffort(sampling, target.model);
  const outputTokens = toOutputTokens(sampling?.maxOutputTokens, effort, target);
  const body = {
    model: target.model,
    messages: encodeTurns({ system, turns }, dropped),
    [limitNameOf(target.model)]: outputTokens,
    ...(sampling && encodeSampling(sampling, { model: target.model, effort }, dropped)),
    tools: encodeTools(conversation.tools, dropped),
    ...encodeToolChoice(conversation, dropped),
    response_format: encodeResponseFormat(conversation.responseFormat, target.model),
    ...(streamed && { stream: true, stream_options: { include_usage: true } }),
  };
  return { body: JSON.stringify(body), dropped: dropped.names(), outputTokens };
};

/**
 * Returns the output limit to send, or undefined for none. The client's limit is meant for the
 * answer, but a reasoning model counts its reasoning against it, so the reasoning allowance is
 * added.
 */
const toOutputTokens = (
  requested: number | undefined,
  effort: string,
  { model, maxOutputTokens, isLimited }: EgressTarget,
): number | undefined => {
  if (requested === undefined) return isLimited ? maxOutputTokens : undefined;
  const allowance = isReasoningModel(model) ? reasoningAllowance(effort) : 0;
  return Math.min(requested + allowance, maxOutputTokens);
};

const encodeEffort = (sampling: Sampling | undefined, model: string): string =>
  sampling?.reasoningEffort || (acceptsLowEffort(model) ? toEffort(sampling) : '');

const encodeSampling = (
  sampling: Sampling,
  { model, effort }: { model: string; effort: string },
  dropped: DroppedFields,
): object => {
  if (sampling.topK !== undefined) dropped.add('top_k');
  return {
    ...encodeRandomness(sampling, model, dropped),
    stop: encodeStop(sampling.stop, model),
    seed: sampling.seed === undefined ? undefined : embedJson(String(sampling.seed), 'seed'),
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    reasoning_effort: effort || undefined,
    user: encodeUser(sampling.user, dropped),
  };
};

const encodeRandomness = (
  { temperature, topP }: Sampling,
  model: string,
  dropped: DroppedFields,
): object => {
  if (!isReasoningModel(model)) return { temperature, top_p: topP };
  if (temperature !== undefined) dropped.add('temperature');
  if (topP !== undefined) dropped.add('top_p');
  return {};
};

/**
 * Returns the stop sequences. Throws INVALID_REQUEST if a model of OpenAI gets more than it
 * accepts, because dropping one would change the answer.
 */
const encodeStop = (stop: readonly string[], model: string): readonly string[] | undefined => {
  if (stop.length > MAX_STOPS && OPENAI_MODEL.test(model)) {
    throw unsupportedParameter('stop_sequences', `the model takes ${MAX_STOPS} at most.`);
  }
  return stop.length > 0 ? stop : undefined;
};

const encodeUser = (user: string, dropped: DroppedFields): string | undefined => {
  if (user.length > MAX_USER_LENGTH) dropped.add('metadata.user_id');
  return user === '' || user.length > MAX_USER_LENGTH ? undefined : user;
};

const encodeResponseFormat = (
  format: ResponseFormat | undefined,
  model: string,
): object | undefined => {
  if (!format) return undefined;
  if (format.kind !== 'json_schema') return { type: format.kind };
  return {
    type: 'json_schema',
    json_schema: {
      name: format.name || SCHEMA_NAME,
      description: format.description || undefined,
      schema: format.schema === '' ? undefined : encodeSchema(format, model),
      strict: format.strict,
    },
  };
};

/** Returns the schema; for a model of OpenAI without what it refuses in a strict schema. */
export const encodeSchema = (
  { schema: text, strict }: Pick<ResponseFormat, 'schema' | 'strict'>,
  model: string,
): unknown => {
  const schema = embedJson(text, 'response_format.schema');
  const object = strict === true && OPENAI_MODEL.test(model) ? asObject(schema) : undefined;
  return object ? withoutLengths(object) : schema;
};

export const encodeTools = (
  tools: readonly Tool[],
  dropped: DroppedFields,
): object[] | undefined => {
  if (tools.length === 0) return undefined;
  return tools.map((tool, index) => {
    const { name, description, cacheControl } = tool;
    if (cacheControl !== '') dropped.add('tools[].cache_control');
    const parameters = encodeParameters(tool, `tools[${index}].input_schema`);
    const strict = encodeStrict(tool, parameters, dropped);
    return {
      type: 'function',
      function: { name, description: description || undefined, parameters, strict },
    };
  });
};

/**
 * Parses the JSON Schema of a tool's parameters. Adds `properties` to an object schema without it,
 * because OpenAI refuses such a schema.
 */
const encodeParameters = ({ parameters }: Tool, path: string): unknown => {
  if (parameters === '') return undefined;
  const schema = embedJson(parameters, path);
  const object: JsonObject | undefined = asObject(schema);
  const lacksProperties = object?.type === 'object' && object.properties === undefined;
  return lacksProperties ? { ...object, properties: {} } : schema;
};

/**
 * Encodes `strict`. If it is true for a schema that OpenAI does not accept as strict, it is dropped
 * and reported as dropped.
 */
const encodeStrict = (
  { strict }: Tool,
  parameters: unknown,
  dropped: DroppedFields,
): boolean | undefined => {
  if (strict !== true || isOpenaiStrictSchema(parameters)) return strict;
  dropped.add('tools[].strict');
  return undefined;
};

/**
 * Encodes `tool_choice` and `parallel_tool_calls`. Both are omitted for a request without tools,
 * because OpenAI refuses them there. Throws INVALID_REQUEST if such a request requires a tool call.
 */
export const encodeToolChoice = (
  { toolChoice, tools }: Pick<Conversation, 'toolChoice' | 'tools'>,
  dropped: DroppedFields,
): object => {
  if (!toolChoice) return {};
  const { mode, name, parallel } = toolChoice;
  if (tools.length > 0) {
    const chosen = mode === 'tool' ? { type: 'function', function: { name } } : mode;
    return { tool_choice: chosen, parallel_tool_calls: parallel };
  }
  if (mode === 'required' || mode === 'tool') {
    const message =
      'tool_choice: there is no tool to call. Declare it in `tools`, or leave it out.';
    throw invalidRequest(message, { param: 'tool_choice' });
  }
  dropped.add('tool_choice');
  return {};
};
