import { isChosen } from '../address/is-chosen.ts';
import type { EgressEdits, EgressTarget, RequestSummary } from '../dialect.ts';
import type { MemberEdits } from '../json/edit-members.ts';
import { reasoningRoom } from '../neutral/reasoning-room.ts';
import { limitNameOf } from './limit-name.ts';
import { isReasoningModel } from './reasoning-model.ts';

/**
 * Sets the model, clamps output limits, and requests the usage chunk of a stream, which is hidden
 * from a client that did not request it. Parameters of a client that named a model are left to that
 * model; for a reasoning model that the gateway chose, the limit is renamed and gets room for the
 * reasoning, and sampling parameters are dropped.
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

/** Returns whether the gateway chose a model that refuses common parameters. */
const isAdapted = (summary: RequestSummary, { model }: EgressTarget): boolean =>
  isReasoningModel(model) && isChosen(summary.model, model);

const limit = (
  summary: RequestSummary,
  target: EgressTarget,
): { edits: MemberEdits; outputTokens: number | undefined } => {
  const { model, maxOutputTokens } = target;
  const asked = Object.entries(summary.outputLimits);
  // With both names of the limit present, it is unknown which one the provider obeys.
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
