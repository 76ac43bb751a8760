import { isChosenByGateway } from '../address/read-model-address.ts';
import type { EgressEdits, EgressTarget, RequestSummary } from '../dialect.ts';
import type { MemberEdits } from '../json/edit-members.ts';
import { parseObject, asNumber, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { readElements, readMembers } from '../json/read-members.ts';
import type { Element } from '../json/read-members.ts';
import { reasoningAllowance } from '../neutral/reasoning-allowance.ts';
import { limitNameOf, isReasoningModel } from './model-limits.ts';

/**
 * Returns the edits that set the model, reduce output limits to the maximum, add a missing limit if
 * the target requires one, and request the usage chunk of a stream; the gateway hides that chunk
 * from clients that did not request it. For a reasoning model that the gateway chose, the output
 * limit is renamed and raised by the reasoning allowance, and sampling parameters are removed. For
 * a model that the client named, the client is responsible for sending what the model accepts.
 */
export const toEgressEdits = (summary: RequestSummary, target: EgressTarget): EgressEdits => {
  const { edits: limitEdits, outputTokens } = limitOutput(summary, target);
  const edits: Record<string, MemberEdits[string]> = { ...limitEdits };
  if (target.model !== summary.model) edits.model = JSON.stringify(target.model);
  if (summary.streamed && !summary.wantsUsage) edits.stream_options = { include_usage: 'true' };
  const dropped = needsAdaptation(summary, target) ? summary.samplingNames : [];
  for (const name of dropped) edits[name] = null;
  return { edits, dropped, outputTokens };
};

const needsAdaptation = (summary: RequestSummary, { model }: EgressTarget): boolean =>
  isReasoningModel(model) && isChosenByGateway(summary.model, model);

const limitOutput = (
  summary: RequestSummary,
  target: EgressTarget,
): { edits: MemberEdits; outputTokens: number | undefined } => {
  const { model, maxOutputTokens } = target;
  const requested = Object.entries(summary.outputLimits);
  // A body may have both output limits, and it is unknown which one the provider applies, so the
  // larger one is assumed.
  const longest =
    requested.length === 0 ? undefined : Math.max(...requested.map(([, tokens]) => tokens));
  if (longest === undefined) {
    if (!target.isLimited) return { edits: {}, outputTokens: undefined };
    const edits = { [limitNameOf(model)]: String(maxOutputTokens) };
    return { edits, outputTokens: maxOutputTokens };
  }
  if (needsAdaptation(summary, target)) {
    const outputTokens = Math.min(
      longest + reasoningAllowance(summary.reasoningEffort),
      maxOutputTokens,
    );
    const edits = { max_tokens: null, max_completion_tokens: String(outputTokens) };
    return { edits, outputTokens };
  }
  const exceeded = requested.filter(([, tokens]) => tokens > maxOutputTokens);
  return {
    edits: Object.fromEntries(exceeded.map(([name]) => [name, String(maxOutputTokens)])),
    outputTokens: Math.min(longest, maxOutputTokens),
  };
};

const OUTPUT_LIMITS = ['max_tokens', 'max_completion_tokens'] as const;

const SAMPLING = ['temperature', 'top_p'] as const;

/**
 * Returns the members of a request that the gateway needs. They are not validated here; the
 * api-gateway does that.
 */
export const readRequest = (body: JsonObject): RequestSummary => ({
  model: asText(body.model),
  streamed: body.stream === true,
  wantsUsage: asObject(body.stream_options)?.include_usage === true,
  choices: readChoices(body.n),
  samplingNames: SAMPLING.filter((name) => body[name] != null),
  reasoningEffort: asText(body.reasoning_effort),
  outputLimits: Object.fromEntries(
    OUTPUT_LIMITS.flatMap((name) => {
      const tokens = asNumber(body[name]);
      return tokens === undefined ? [] : [[name, tokens]];
    }),
  ),
});

const CHOICES_MAX = 1_000;

const readChoices = (value: unknown): number =>
  typeof value === 'number' && value > 1 ? Math.min(Math.ceil(value), CHOICES_MAX) : 1;

const INSTRUCTION_ROLES = new Set(['system', 'developer']);

/**
 * Inserts an instruction after the leading system and developer messages, so that a prompt cache
 * still matches those. The instruction has the role of the last of these messages, because OpenAI
 * refuses a request that has both roles. If there is no list `messages`, the body is returned
 * unchanged, and the provider will refuse it.
 */
export const insertPreamble = (source: string, preamble: string): string => {
  // Of duplicate members the last one is edited, because parsers use that one.
  const list = readMembers(source).findLast(({ key }) => key === 'messages');
  if (!list || source[list.start] !== '[') return source;
  const messages = readElements(source, list.start);
  const instructions = readLeadingInstructions(source, messages);
  const message = JSON.stringify({ role: instructions.role, content: preamble });
  if (instructions.last) return splice(source, instructions.last.end, `,${message}`);
  return splice(source, list.start + 1, messages.length > 0 ? `${message},` : message);
};

const readLeadingInstructions = (
  source: string,
  messages: readonly Element[],
): { role: string; last?: Element } => {
  let instructions: { role: string; last?: Element } = { role: 'system' };
  for (const last of messages) {
    const role = asText(parseObject(source.slice(last.start, last.end))?.role);
    if (!INSTRUCTION_ROLES.has(role)) break;
    instructions = { role, last };
  }
  return instructions;
};

const splice = (source: string, offset: number, text: string): string =>
  source.slice(0, offset) + text + source.slice(offset);
