import { isChosenByGateway } from '../address/is-chosen-by-gateway.ts';
import type { EgressEdits, EgressTarget, RequestSummary } from '../dialect.ts';
import type { MemberEdits } from '../json/edit-members.ts';
import { reasoningAllowance } from '../neutral/reasoning-allowance.ts';
import { reasonsByDefault, acceptsSampling } from './model-limits.ts';

const MIN_THINKING_TOKENS = 1024;
/**
 * Largest share of a reduced output limit that thinking may use, so that tokens remain for the
 * answer.
 */
const THINKING_SHARE = 0.75;

/**
 * Returns the edits that set the model and reduce the output limit to the maximum. For a model that
 * the gateway chose, the limit is first raised by the reasoning allowance if the model reasons by
 * default, and sampling parameters that the model refuses are removed.
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
 * Returns an edit that reduces the thinking budget below the output limit. If the limit is too
 * small for any budget, thinking is disabled, because providers refuse a budget below their
 * minimum.
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
