import { hash } from 'node:crypto';
import { editMembers } from '@witan/dialects';
import type { ChatRequest, MemberEdits } from '@witan/dialects';

/** The exact bytes for the provider and their hash. */
export type Egress = { bytes: Uint8Array; sha256: string };

/**
 * The client's body with the model that runs, output limits clamped, and the usage chunk asked for
 * on streams. What needs no change keeps its bytes; what does is edited in place, so that unknown
 * fields and number spellings survive (gateway.md rule 1).
 */
export const prepareEgress = (
  source: { bytes: Uint8Array; text: string },
  request: ChatRequest,
  options: { model: string; maxOutputTokens: number },
): Egress => {
  const edits: Record<string, string | MemberEdits> = {};
  if (options.model !== request.model) edits.model = JSON.stringify(options.model);
  for (const [name, tokens] of Object.entries(request.outputLimits)) {
    if (tokens > options.maxOutputTokens) edits[name] = String(options.maxOutputTokens);
  }
  if (request.streamed && !request.wantsUsage) {
    edits.stream_options = { include_usage: 'true' };
  }
  const bytes =
    Object.keys(edits).length === 0 ? source.bytes : Buffer.from(editMembers(source.text, edits));
  return { bytes, sha256: hash('sha256', bytes, 'hex') };
};
