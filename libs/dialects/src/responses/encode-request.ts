import type { Conversation, Sampling } from '@witan/contracts';
import { acceptsLowEffort, isReasoningModel } from '../chat-completions/request.ts';
import type { EgressTarget, Encoded } from '../dialect.ts';
import { createDroppedFields, unsupportedParameter } from '../neutral/dropped-fields.ts';
import type { DroppedFields } from '../neutral/dropped-fields.ts';
import { joinRoles } from '../neutral/join-roles.ts';
import { reasoningAllowance, toEffort } from '../neutral/reasoning-allowance.ts';
import { encodeFormat, encodeToolChoice, encodeTools } from './encode-tools.ts';
import { encodeTurns } from './encode-turns.ts';

const MAX_USER_LENGTH = 64;

/**
 * Encodes a neutral call as JSON; equal calls give equal text. The provider stores nothing, so the
 * whole conversation is sent, and a reasoning model returns its reasoning encrypted. Dropped fields
 * are named as in the messages dialect. Throws INVALID_REQUEST for a field that is invalid or that
 * this dialect cannot express.
 */
export const encodeRequest = (conversation: Conversation, target: EgressTarget): Encoded => {
  const dropped = createDroppedFields();
  const { streamed, sampling, system } = conversation;
  const isReasoning = isReasoningModel(target.model);
  const effort = encodeEffort(sampling, target.model);
  const outputTokens = toOutputTokens(sampling?.maxOutputTokens, effort, target);
  if (system.some(({ cacheControl }) => cacheControl !== '')) dropped.add('system[].cache_control');
  const instructions = system.map(({ text }) => text).filter((text) => text !== '');
  const body = {
    model: target.model,
    instructions: instructions.length > 0 ? instructions.join('\n\n') : undefined,
    input: encodeTurns({ turns: joinRoles(conversation.turns) }, dropped),
    max_output_tokens: outputTokens,
    ...(sampling && encodeSampling(sampling, { isReasoning }, dropped)),
    reasoning: effort === '' ? undefined : { effort },
    tools: encodeTools(conversation.tools, dropped),
    ...encodeToolChoice(conversation, dropped),
    text: encodeFormat(conversation.responseFormat, target.model),
    store: false,
    include: isReasoning ? ['reasoning.encrypted_content'] : undefined,
    ...(streamed && { stream: true }),
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
  { isReasoning }: { isReasoning: boolean },
  dropped: DroppedFields,
): object => {
  if (sampling.stop.length > 0) {
    throw unsupportedParameter('stop_sequences', 'the provider has no stop sequences.');
  }
  if (sampling.topK !== undefined) dropped.add('top_k');
  if (sampling.seed !== undefined) dropped.add('seed');
  if (sampling.presencePenalty) dropped.add('presence_penalty');
  if (sampling.frequencyPenalty) dropped.add('frequency_penalty');
  if (sampling.user.length > MAX_USER_LENGTH) dropped.add('metadata.user_id');
  const isUserSent = sampling.user !== '' && sampling.user.length <= MAX_USER_LENGTH;
  return {
    ...encodeRandomness(sampling, { isReasoning }, dropped),
    safety_identifier: isUserSent ? sampling.user : undefined,
  };
};

const encodeRandomness = (
  { temperature, topP }: Sampling,
  { isReasoning }: { isReasoning: boolean },
  dropped: DroppedFields,
): object => {
  if (!isReasoning) return { temperature, top_p: topP };
  if (temperature !== undefined) dropped.add('temperature');
  if (topP !== undefined) dropped.add('top_p');
  return {};
};
