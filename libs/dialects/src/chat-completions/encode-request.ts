import type { Conversation, ResponseFormat, Sampling } from '@witan/contracts';
import type { EgressTarget, Encoded } from '../dialect.ts';
import { createDroppedFields } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { limitNameOf, OPENAI_MODEL } from './limit-name.ts';
import { embedJson } from '../json/embed-json.ts';
import { SCHEMA_NAME } from '../neutral/schema-name.ts';
import { unsupportedParameter } from '../neutral/unsupported-parameter.ts';
import { encodeTurns } from './encode-turns.ts';
import { encodeToolChoice, encodeTools } from './encode-tools.ts';

/** OpenAI's reasoning models, which refuse to be told how to sample; `gpt-5-chat` is none. */
const REASONING_MODEL = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!-chat))/;
/** What OpenAI takes at most. */
const MAX_STOPS = 4;
const MAX_USER_LENGTH = 64;

/**
 * A neutral call as JSON text; the same call always gives the same bytes. What is dropped is named
 * as messages clients write it, because they are who comes by this way. Throws INVALID_REQUEST.
 */
export const encodeRequest = (conversation: Conversation, target: EgressTarget): Encoded => {
  const dropped = createDroppedFields();
  const { streamed } = conversation;
  const body = {
    model: target.model,
    messages: encodeTurns(conversation, dropped),
    ...encodeSampling(conversation.sampling, target, dropped),
    tools: encodeTools(conversation.tools, dropped),
    ...encodeToolChoice(conversation, dropped),
    response_format: encodeResponseFormat(conversation.responseFormat),
    ...(streamed && { stream: true, stream_options: { include_usage: true } }),
  };
  return { body: JSON.stringify(body), dropped: dropped.names() };
};

/** Members that are undefined are left out of the text. */
const encodeSampling = (
  sampling: Sampling | undefined,
  target: EgressTarget,
  dropped: DroppedFields,
): object => {
  const limit = encodeLimit(sampling?.maxOutputTokens, target);
  if (!sampling) return limit;
  if (sampling.topK !== undefined) dropped.add('top_k');
  return {
    ...limit,
    ...encodeRandomness(sampling, target.model, dropped),
    stop: encodeStop(sampling.stop, target.model),
    seed: sampling.seed === undefined ? undefined : embedJson(String(sampling.seed), 'seed'),
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    reasoning_effort: sampling.reasoningEffort || undefined,
    user: encodeUser(sampling.user, dropped),
  };
};

const encodeLimit = (asked: number | undefined, target: EgressTarget): object => {
  if (asked === undefined && !target.isLimited) return {};
  const { model, maxOutputTokens } = target;
  return { [limitNameOf(model)]: Math.min(asked ?? maxOutputTokens, maxOutputTokens) };
};

const encodeRandomness = (
  { temperature, topP }: Sampling,
  model: string,
  dropped: DroppedFields,
): object => {
  if (!REASONING_MODEL.test(model)) return { temperature, top_p: topP };
  if (temperature !== undefined) dropped.add('temperature');
  if (topP !== undefined) dropped.add('top_p');
  return {};
};

/** An answer that ran past a stop would be another one. Other providers take any number. */
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

const encodeResponseFormat = (format: ResponseFormat | undefined): object | undefined => {
  if (!format) return undefined;
  if (format.kind !== 'json_schema') return { type: format.kind };
  return {
    type: 'json_schema',
    json_schema: {
      name: format.name || SCHEMA_NAME,
      description: format.description || undefined,
      schema: format.schema === '' ? undefined : embedJson(format.schema, 'response_format.schema'),
      strict: format.strict,
    },
  };
};
