import type { Conversation, Sampling } from '@witan/contracts';
import type { EgressTarget, Encoded } from '../dialect.ts';
import type { JsonObject } from '../json/json-value.ts';
import { createDroppedFields } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { reasoningAllowance, toEffort } from '../neutral/reasoning-allowance.ts';
import { encodeFormat } from './encode-format.ts';
import type { EncodedFormat } from './encode-format.ts';
import { encodeTools } from './encode-tools.ts';
import { encodeText, toContent, encodeTurns } from './encode-turns.ts';
import {
  defaultOutputTokens,
  reasonsByDefault,
  acceptsTemperatureWithTopP,
  acceptsEffort,
  acceptsSampling,
} from './model-limits.ts';

/** Maximum temperature of this dialect; chat-completions allows up to 2. */
const MAX_TEMPERATURE = 1;

/**
 * Encodes a neutral call as JSON with its members in a fixed order. Dropped fields are named as in
 * the chat-completions dialect, from which client requests are converted. The body is for
 * `anthropic-version: 2023-06-01`, the last version with sampling parameters. Throws
 * INVALID_REQUEST for a field that is invalid or that this dialect cannot express.
 */
export const encodeRequest = (conversation: Conversation, target: EgressTarget): Encoded => {
  const dropped = createDroppedFields();
  const { sampling } = conversation;
  const outputTokens = toOutputTokens(sampling, target);
  const answer = encodeFormat(conversation.responseFormat, dropped);
  const body = {
    model: target.model,
    max_tokens: outputTokens,
    system: encodeSystem(conversation, answer),
    messages: encodeTurns(conversation.turns, dropped),
    ...encodeTools(conversation, dropped),
    output_config: encodeOutputConfig(answer, sampling, target.model, dropped),
    ...(sampling && encodeSampling(sampling, target.model, dropped)),
    stream: conversation.streamed || undefined,
  };
  return { body: JSON.stringify(body), dropped: dropped.names(), outputTokens };
};

/**
 * Returns the output limit to send. The client's limit is meant for the answer, but reasoning
 * counts against it too, so the reasoning allowance is added for a model that reasons by default.
 */
const toOutputTokens = (
  sampling: Sampling | undefined,
  { model, maxOutputTokens }: EgressTarget,
): number => {
  const requested = sampling?.maxOutputTokens;
  if (requested === undefined) return defaultOutputTokens(model, maxOutputTokens);
  const allowance = reasonsByDefault(model) ? reasoningAllowance(toEffort(sampling)) : 0;
  return Math.min(requested + allowance, maxOutputTokens);
};

const encodeSystem = (
  { system }: Conversation,
  { instruction }: EncodedFormat,
): ReturnType<typeof toContent> | undefined => {
  const blocks = system.map(encodeText).filter((block) => block !== undefined);
  if (instruction !== undefined) blocks.push({ type: 'text', text: instruction });
  return blocks.length === 0 ? undefined : toContent(blocks);
};

const encodeOutputConfig = (
  { format }: EncodedFormat,
  sampling: Sampling | undefined,
  model: string,
  dropped: DroppedFields,
): JsonObject | undefined => {
  const requested = sampling?.reasoningEffort ?? '';
  const effort = reasonsByDefault(model) ? toEffort(sampling) : requested;
  const isAccepted = acceptsEffort(model, effort);
  if (!isAccepted && requested !== '') dropped.add('reasoning_effort');
  return format || isAccepted ? { format, effort: isAccepted ? effort : undefined } : undefined;
};

const encodeSampling = (sampling: Sampling, model: string, dropped: DroppedFields): JsonObject => {
  if (sampling.seed !== undefined) dropped.add('seed');
  if (sampling.presencePenalty) dropped.add('presence_penalty');
  if (sampling.frequencyPenalty) dropped.add('frequency_penalty');
  return {
    stop_sequences: encodeStop(sampling.stop, dropped),
    ...encodeRandomness(sampling, model, dropped),
    metadata: sampling.user === '' ? undefined : { user_id: sampling.user },
  };
};

const encodeStop = (stop: readonly string[], dropped: DroppedFields): string[] | undefined => {
  const sequences = stop.filter((sequence) => sequence.trim() !== '');
  if (sequences.length < stop.length) dropped.add('stop');
  return sequences.length === 0 ? undefined : sequences;
};

const encodeRandomness = (
  { temperature, topP, topK }: Sampling,
  model: string,
  dropped: DroppedFields,
): JsonObject => {
  const isAccepted = acceptsSampling(model);
  const isTopPAccepted =
    isAccepted && (temperature === undefined || acceptsTemperatureWithTopP(model));
  if (temperature !== undefined && (!isAccepted || temperature > MAX_TEMPERATURE)) {
    dropped.add('temperature');
  }
  if (topP !== undefined && !isTopPAccepted) dropped.add('top_p');
  if (topK !== undefined && !isAccepted) dropped.add('top_k');
  return {
    temperature:
      isAccepted && temperature !== undefined ? Math.min(temperature, MAX_TEMPERATURE) : undefined,
    top_p: isTopPAccepted ? topP : undefined,
    top_k: isAccepted ? topK : undefined,
  };
};
