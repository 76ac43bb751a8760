import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ChatRequestSchema } from '@witan/contracts';
import { ValidationError } from '../errors/validation-error.ts';
import type { RouteCall } from '../http/route.ts';
import type { Proof } from './certified-call.ts';
import { toContextItem } from './context-item.ts';
import type { ContextItemBody } from './context-item.ts';
import { readAgentId, readSessionId } from './encode-agent.ts';

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

/**
 * The chat that a client asks for (Seed 2.2). Throws NOT_FOUND for what cannot be an id, and
 * INVALID_REQUEST for tools that the agent does not have.
 */
export const readAgentChatRequest = (
  call: RouteCall,
  proof: Proof,
): MessageInitShape<typeof ChatRequestSchema> => {
  const { message, sessionId, context = [], extraction, options, ...rest } = call.body as Body;
  refuseTools(rest.tools?.toolIds ?? []);
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
  };
};

/** No agent has tools before issue 8, so none that is named can be linked. */
const refuseTools = (toolIds: readonly string[]): void => {
  if (toolIds.length === 0) return;
  const message = 'is not a tool that is linked to this agent';
  throw new ValidationError(
    toolIds.map((_id, index) => ({ path: `tools.toolIds[${index}]`, message })),
  );
};
