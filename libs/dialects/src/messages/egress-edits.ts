import type { EgressTarget, RequestFacts } from '../dialect.ts';
import type { MemberEdits } from '../json/edit-members.ts';

/** The least that a provider takes as a thinking budget. */
const MIN_THINKING_TOKENS = 1024;
/** How much of a limit that was cut may go to thinking, so that words are left for the answer. */
const THINKING_SHARE = 0.75;

/** Edits for a body before it leaves: the model's name, and a limit above the cap. */
export const toEgressEdits = (facts: RequestFacts, target: EgressTarget): MemberEdits => {
  const edits: Record<string, string | MemberEdits> = {};
  if (facts.model !== target.model) edits.model = JSON.stringify(target.model);
  const limit = facts.outputLimits.max_tokens;
  if (limit === undefined || limit <= target.maxOutputTokens) return edits;
  edits.max_tokens = String(target.maxOutputTokens);
  const thinking = toThinkingEdit(facts.thinkingBudget, target.maxOutputTokens);
  if (thinking !== undefined) edits.thinking = thinking;
  return edits;
};

/** A budget must stay below the limit, and a provider refuses one below its own least. */
const toThinkingEdit = (
  budget: number | undefined,
  limit: number,
): string | MemberEdits | undefined => {
  if (budget === undefined) return undefined;
  if (limit <= MIN_THINKING_TOKENS) return '{"type":"disabled"}';
  const most = Math.max(MIN_THINKING_TOKENS, Math.floor(limit * THINKING_SHARE));
  return budget <= most ? undefined : { budget_tokens: String(most) };
};
