import { isChosen } from '../address/is-chosen.ts';
import type { EgressEdits, EgressTarget, RequestSummary } from '../dialect.ts';
import type { MemberEdits } from '../json/edit-members.ts';
import { reasoningRoom } from '../neutral/reasoning-room.ts';
import { limitNameOf } from './limit-name.ts';
import { isReasoningModel } from './reasoning-model.ts';

/**
 * Names the model that runs, clamps output limits, and asks a stream for its usage chunk, which is
 * hidden again from a client that did not ask. A client that named a model gets its own parameters
 * judged by that model; for a reasoning model that was chosen for it, the limit takes the name that
 * such models know and room for the reasoning, and sampling parameters are dropped.
 */
export const toEgressEdits = (summary: RequestSummary, target: EgressTarget): EgressEdits => {
  const { edits: limitEdits, outputTokens } = limit(summary, target);
  const edits: Record<string, MemberEdits[string]> = { ...limitEdits };
  if (target.model !== summary.model) edits.model = JSON.stringify(target.model);
  if (summary.streamed && !summary.wantsUsage) edits.stream_options = { include_usage: 'true' };
  const dropped = isAdapted(summary, target) ? summary.samplingNames : [];
  for (const name of dropped) edits[name] = null;
  return { edits, dropped, outputTokens };
};

/** Whether the client does not know which model runs, and that model refuses what others take. */
const isAdapted = (summary: RequestSummary, { model }: EgressTarget): boolean =>
  isReasoningModel(model) && isChosen(summary.model, model);

const limit = (
  summary: RequestSummary,
  target: EgressTarget,
): { edits: MemberEdits; outputTokens: number | undefined } => {
  const { model, maxOutputTokens } = target;
  const asked = Object.entries(summary.outputLimits);
  // Of two names for one limit it is unknown which one the provider obeys.
  const longest = asked.length === 0 ? undefined : Math.max(...asked.map(([, tokens]) => tokens));
  if (longest === undefined) {
    if (!target.isLimited) return { edits: {}, outputTokens: undefined };
    const edits = { [limitNameOf(model)]: String(maxOutputTokens) };
    return { edits, outputTokens: maxOutputTokens };
  }
  if (isAdapted(summary, target)) {
    const outputTokens = Math.min(
      longest + reasoningRoom(summary.reasoningEffort),
      maxOutputTokens,
    );
    const edits = { max_tokens: null, max_completion_tokens: String(outputTokens) };
    return { edits, outputTokens };
  }
  const over = asked.filter(([, tokens]) => tokens > maxOutputTokens);
  return {
    edits: Object.fromEntries(over.map(([name]) => [name, String(maxOutputTokens)])),
    outputTokens: Math.min(longest, maxOutputTokens),
  };
};
