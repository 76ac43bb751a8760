import { isChosenByGateway } from '../address/is-chosen-by-gateway.ts';
import type { EgressEdits, EgressTarget, RequestSummary } from '../dialect.ts';
import type { MemberEdits } from '../json/edit-members.ts';
import { reasoningAllowance } from '../neutral/reasoning-allowance.ts';
import { limitNameOf } from './limit-name.ts';
import { isReasoningModel } from './reasoning-model.ts';

/**
 * Returns the edits that set the model, reduce output limits to the maximum, and request the usage
 * chunk of a stream; the gateway hides that chunk from clients that did not request it. For a
 * reasoning model that the gateway chose, the output limit is renamed and raised by the reasoning
 * allowance, and sampling parameters are removed. For a model that the client named, the client is
 * responsible for sending what the model accepts.
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
