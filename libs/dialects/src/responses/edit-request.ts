import { isChosenByGateway } from '../address/read-model-address.ts';
import { isReasoningModel } from '../chat-completions/model-limits.ts';
import type { EgressEdits, EgressTarget, RequestSummary } from '../dialect.ts';
import { editMembers } from '../json/edit-members.ts';
import type { MemberEdits } from '../json/edit-members.ts';
import { asNumber, asObject, asText, isAbsent } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { readMembers } from '../json/read-members.ts';
import { reasoningAllowance } from '../neutral/reasoning-allowance.ts';

/**
 * Returns the edits that set the model, reduce the output limit to the maximum, and add a missing
 * limit if the target requires one. For a reasoning model that the gateway chose, the limit is
 * raised by the reasoning allowance, and sampling parameters are removed.
 */
export const toEgressEdits = (summary: RequestSummary, target: EgressTarget): EgressEdits => {
  const { model, maxOutputTokens, isLimited } = target;
  const isAdapted = isReasoningModel(model) && isChosenByGateway(summary.model, model);
  const limit = summary.outputLimits.max_output_tokens;
  const allowance = isAdapted ? reasoningAllowance(summary.reasoningEffort) : 0;
  const longest = limit === undefined ? undefined : Math.min(limit + allowance, maxOutputTokens);
  const outputTokens = longest ?? (isLimited ? maxOutputTokens : undefined);
  const edits: Record<string, MemberEdits[string]> = {};
  if (model !== summary.model) edits.model = JSON.stringify(model);
  if (outputTokens !== limit) edits.max_output_tokens = String(outputTokens);
  const dropped = isAdapted ? summary.samplingNames : [];
  for (const name of dropped) edits[name] = null;
  return { edits, dropped, outputTokens };
};

const SAMPLING = ['temperature', 'top_p'] as const;

/** Request members that a response repeats. */
const ECHOED = [
  ...['background', 'frequency_penalty', 'instructions', 'max_output_tokens', 'max_tool_calls'],
  ...['metadata', 'parallel_tool_calls', 'presence_penalty', 'previous_response_id'],
  ...['prompt_cache_key', 'reasoning', 'safety_identifier', 'service_tier', 'store', 'temperature'],
  ...['text', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'truncation', 'user'],
] as const;

export const readRequest = (body: JsonObject): RequestSummary => {
  const limit = asNumber(body.max_output_tokens);
  return {
    model: asText(body.model),
    streamed: body.stream === true,
    wantsUsage: true,
    choices: 1,
    samplingNames: SAMPLING.filter((name) => !isAbsent(body[name])),
    reasoningEffort: asText(asObject(body.reasoning)?.effort),
    outputLimits: limit === undefined ? {} : { max_output_tokens: limit },
    echo: Object.fromEntries(
      ECHOED.filter((name) => !isAbsent(body[name])).map((name) => [name, body[name]]),
    ),
  };
};

/**
 * Appends a preamble to `instructions` in the JSON text of a body, after a blank line. Instructions
 * of an invalid type are preserved, and the provider refuses the request. Of duplicate members the
 * last one counts, because parsers use that one.
 */
export const insertPreamble = (source: string, preamble: string): string => {
  if (preamble === '') return source;
  const member = readMembers(source).findLast(({ key }) => key === 'instructions');
  const value: unknown = member ? JSON.parse(source.slice(member.start, member.end)) : null;
  if (!isAbsent(value) && typeof value !== 'string') return source;
  const instructions = asText(value).trim() === '' ? preamble : `${asText(value)}\n\n${preamble}`;
  return editMembers(source, { instructions: JSON.stringify(instructions) });
};
