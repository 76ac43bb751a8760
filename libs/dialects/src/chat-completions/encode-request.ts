import type { Conversation, ResponseFormat, Sampling } from '@witan/contracts';
import type { EgressTarget, Encoded } from '../dialect.ts';
import { createDroppedFields } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { limitNameOf, OPENAI_MODEL } from './limit-name.ts';
import { embedJson } from '../json/embed-json.ts';
import { reasoningAllowance, toEffort } from '../neutral/reasoning-allowance.ts';
import { SCHEMA_NAME } from '../neutral/schema-name.ts';
import { unsupportedParameter } from '../neutral/unsupported-parameter.ts';
import { encodeTurns } from './encode-turns.ts';
import { encodeToolChoice, encodeTools } from './encode-tools.ts';
import { isReasoningModel, acceptsLowEffort } from './reasoning-model.ts';

/** Maximum number of stop sequences that OpenAI accepts. */
const MAX_STOPS = 4;
const MAX_USER_LENGTH = 64;

/**
 * Encodes a neutral call as JSON; equal calls give equal text. Dropped fields are named as in the
 * messages dialect, because the client's request is in that dialect. Throws INVALID_REQUEST for a
 * field that this dialect cannot express.
 */
export const encodeRequest = (conversation: Conversation, target: EgressTarget): Encoded => {
  const dropped = createDroppedFields();
  const { streamed, sampling } = conversation;
  const effort = encodeEffort(sampling, target.model);
  const outputTokens = toOutputTokens(sampling?.maxOutputTokens, effort, target);
  const body = {
    model: target.model,
    messages: encodeTurns(conversation, dropped),
    [limitNameOf(target.model)]: outputTokens,
    ...(sampling && encodeSampling(sampling, { model: target.model, effort }, dropped)),
    tools: encodeTools(conversation.tools, dropped),
    ...encodeToolChoice(conversation, dropped),
    response_format: encodeResponseFormat(conversation.responseFormat),
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
 * Returns the stop sequences. Throws INVALID_REQUEST if there are more than OpenAI accepts, because
 * dropping one would change the answer.
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
