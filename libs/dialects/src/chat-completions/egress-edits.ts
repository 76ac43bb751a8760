import type { EgressTarget, RequestFacts } from '../dialect.ts';
import { limitNameOf } from './limit-name.ts';
import type { MemberEdits } from '../json/edit-members.ts';

/**
 * Names the model that runs, clamps output limits, and asks a stream for its usage chunk, which is
 * hidden again from a client that did not ask (gateway.md rules 1 and 10).
 */
export const toEgressEdits = (facts: RequestFacts, target: EgressTarget): MemberEdits => {
  const edits: Record<string, string | MemberEdits> = {};
  if (target.model !== facts.model) edits.model = JSON.stringify(target.model);
  for (const [name, tokens] of Object.entries(facts.outputLimits)) {
    if (tokens > target.maxOutputTokens) edits[name] = String(target.maxOutputTokens);
  }
  if (target.isLimited && Object.keys(facts.outputLimits).length === 0) {
    edits[limitNameOf(target.model)] = String(target.maxOutputTokens);
  }
  if (facts.streamed && !facts.wantsUsage) edits.stream_options = { include_usage: 'true' };
  return edits;
};
