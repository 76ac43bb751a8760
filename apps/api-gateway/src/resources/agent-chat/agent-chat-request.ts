import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ChatRequestSchema } from '@witan/contracts';
import type { RouteCall } from '../../http/route.ts';
import type { Proof } from '../certified-call.ts';
import { toContextItem } from './context-item.ts';
import { AGENT_ID, SESSION_ID } from '../resource-id.ts';
import type { Static } from '../../http/schema.ts';
import { AGENT_CHAT } from './agent-chat-schema.ts';

export const readAgentChatRequest = (
  call: RouteCall,
  proof: Proof,
): MessageInitShape<typeof ChatRequestSchema> => {
  const {
    message,
    sessionId,
    context = [],
    extraction,
    options,
    ...rest
  } = call.body as Static<typeof AGENT_CHAT>;
  const { type, fields = {}, schema = '' } = rest.responseFormat ?? {};
  return {
    ...proof,
    agentId: AGENT_ID.read(call.params.id),
    message,
    sessionId: sessionId ? SESSION_ID.read(sessionId, 'sessionId') : '',
    context: context.map(toContextItem),
    extraction: extraction && {
      categories: extraction.categories ?? [],
      persist: extraction.persist ?? true,
    },
    reflection: options?.reflection ?? false,
    temperature: options?.temperature,
    maxTokens: options?.maxTokens,
    json: type === 'json' ? { fields, schema } : undefined,
    tools: toToolUse(rest.tools),
  };
};

/**
 * Converts the option `tools`. If tools are enabled, the chat may use those in `toolIds`, or all
 * tools of the agent if it is absent. An empty `toolIds` disables tools, because an empty list in
 * the result means all of them.
 */
const toToolUse = ({
  enabled = false,
  toolIds,
}: NonNullable<Static<typeof AGENT_CHAT>['tools']> = {}) => ({
  enabled: enabled && toolIds?.length !== 0,
  toolIds: toolIds ?? [],
});
