import { isChosenByGateway } from '../address/read-model-address.ts';
import type { EgressEdits, EgressTarget, RequestSummary } from '../dialect.ts';
import { editMembers } from '../json/edit-members.ts';
import type { MemberEdits } from '../json/edit-members.ts';
import { asNumber, asObject, asText } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { readMembers } from '../json/read-members.ts';
import { reasoningAllowance } from '../neutral/reasoning-allowance.ts';
import { reasonsByDefault, acceptsSampling } from './model-limits.ts';

const MIN_THINKING_TOKENS = 1024;
/**
 * Largest share of a reduced output limit that thinking may use, so that tokens remain for the
 * answer; the minimum budget may be a larger share.
 */
const THINKING_SHARE = 0.75;

/**
 * Returns the edits that set the model, reduce the output limit to the maximum, and reduce a
 * thinking budget that no longer fits. For a model that the gateway chose, the limit is first
 * raised by the reasoning allowance if the model reasons by default and the client set no thinking
 * budget, and sampling parameters that the model refuses are removed.
 */
export const toEgressEdits = (summary: RequestSummary, target: EgressTarget): EgressEdits => {
  const edits: Record<string, MemberEdits[string]> = {};
  if (summary.model !== target.model) edits.model = JSON.stringify(target.model);
  const isAdapted = isChosenByGateway(summary.model, target.model);
  const dropped = isAdapted && !acceptsSampling(target.model) ? summary.samplingNames : [];
  for (const name of dropped) edits[name] = null;
  const limit = summary.outputLimits.max_tokens;
  if (limit === undefined) return { edits, dropped, outputTokens: undefined };
  const hasAllowance =
    isAdapted && summary.thinkingBudget === undefined && reasonsByDefault(target.model);
  const allowance = hasAllowance ? reasoningAllowance(summary.reasoningEffort) : 0;
  const outputTokens = Math.min(limit + allowance, target.maxOutputTokens);
  if (outputTokens !== limit) edits.max_tokens = String(outputTokens);
  const thinking = toThinkingEdit(summary.thinkingBudget, outputTokens);
  if (outputTokens < limit && thinking !== undefined) edits.thinking = thinking;
  return { edits, dropped, outputTokens };
};

/**
 * Returns an edit that reduces the thinking budget below the output limit; undefined if it fits
 * already. If the limit is too small for any budget, thinking is disabled, because providers refuse
 * a budget below their minimum.
 */
const toThinkingEdit = (
  budget: number | undefined,
  limit: number,
): string | MemberEdits | undefined => {
  if (budget === undefined) return undefined;
  if (limit <= MIN_THINKING_TOKENS) return '{"type":"disabled"}';
  const maxBudget = Math.max(MIN_THINKING_TOKENS, Math.floor(limit * THINKING_SHARE));
  return budget <= maxBudget ? undefined : { budget_tokens: String(maxBudget) };
};

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;

export const readRequest = (body: JsonObject): RequestSummary => {
  const limit = asNumber(body.max_tokens);
  const thinking = asObject(body.thinking);
  const budget = thinking?.type === 'enabled' ? asNumber(thinking.budget_tokens) : undefined;
  return {
    model: asText(body.model),
    streamed: body.stream === true,
    wantsUsage: true,
    choices: 1,
    samplingNames: SAMPLING.filter((name) => body[name] != null),
    reasoningEffort: asText(asObject(body.output_config)?.effort),
    outputLimits: limit === undefined ? {} : { max_tokens: limit },
    ...(budget === undefined ? {} : { thinkingBudget: budget }),
  };
};

/**
 * Appends a preamble to `system` in the JSON text of a body. A text there becomes a list of blocks;
 * a blank or missing `system` becomes the preamble. The client's other members are unchanged. Of
 * duplicate members the last one counts, because parsers use that one.
 */
export const insertPreamble = (source: string, preamble: string): string => {
  if (preamble === '') return source;
  const member = readMembers(source).findLast(({ key }) => key === 'system');
  const system = member === undefined ? 'null' : source.slice(member.start, member.end);
  return editMembers(source, { system: appendTo(system, preamble) });
};

const appendTo = (system: string, preamble: string): string => {
  const text = JSON.stringify(preamble);
  if (system === 'null' || isBlankText(system)) return text;
  const block = `{"type":"text","text":${text}}`;
  if (system.startsWith('"')) return `[{"type":"text","text":${system}},${block}]`;
  // `system` has an invalid type: its value is preserved, and the provider refuses the request.
  if (!system.startsWith('[')) return `[${system},${block}]`;
  const close = system.lastIndexOf(']');
  const separator = /^\[\s*\]$/.test(system) ? '' : ',';
  return `${system.slice(0, close)}${separator}${block}]`;
};

const isBlankText = (system: string): boolean =>
  system.startsWith('"') && (JSON.parse(system) as string).trim() === '';
