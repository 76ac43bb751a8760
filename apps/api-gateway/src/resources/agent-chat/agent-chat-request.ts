import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ChatRequestSchema } from '@witan/contracts';
import type { RouteCall } from '../../http/route.ts';
import type { Proof } from '../certified-call.ts';
import { toContextItem } from './context-item.ts';
import type { ContextItemBody } from './context-item.ts';
import { readAgentId, readSessionId } from '../agents/encode-agent.ts';

type Body = {
  message: string;
  sessionId?: string | null;
  context?: ContextItemBody[];
  extraction?: { categories?: string[]; persist?: boolean };
  options?: { reflection?: boolean; temperature?: number; maxTokens?: number };
  responseFormat?: {
    type?: 'json' | 'text';
    fields?: Record<string, string>;
    schema?: string;
  };
  tools?: { enabled?: boolean; toolIds?: string[] };
};

export const readAgentChatRequest = (
  call: RouteCall,
  proof: Proof,
): MessageInitShape<typeof ChatRequestSchema> => {
  const { message, sessionId, context = [], extraction, options, ...rest } = call.body as Body;
  const { type, fields = {}, schema = '' } = rest.responseFormat ?? {};
  return {
    ...proof,
    agentId: readAgentId(call),
    message,
    sessionId: sessionId ? readSessionId(sessionId) : '',
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
 * Returns which tools a chat may use: none if `toolIds` is an empty list, all tools of the agent if
 * it is absent.
 */
const toToolUse = ({ enabled = false, toolIds }: NonNullable<Body['tools']> = {}) => ({
  enabled: enabled && toolIds?.length !== 0,
  toolIds: toolIds ?? [],
});
