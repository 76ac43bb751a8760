import type { AssistRequest as AssistMessage } from '@witan/contracts';
import type { AssistanceService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { assist } from '../assist.ts';
import type { AssistDeps, AssistRequest } from '../assist.ts';
import { toPromptItem } from '../../chat/rpc/chat.ts';
import { toDroppedParams } from '../../turn/rpc/turn.ts';

export const createAssistHandlers = (deps: AssistDeps): Handlers<typeof AssistanceService> => ({
  assist: async (request, { workspaceId, requestId, actorId, signal }) => {
    const caller = { workspaceId, requestId, actorId, signal };
    const assisted = await assist(toRequest(request), caller, deps);
    return { ...assisted, droppedParams: toDroppedParams(assisted.droppedParams, request) };
  },
});

const toRequest = (request: AssistMessage): AssistRequest => ({
  systemPrompt: request.systemPrompt,
  messages: request.messages,
  json: request.json,
  temperature: request.temperature,
  maxTokens: request.maxTokens,
  supplementary: request.supplementary.map(toPromptItem),
  extraction: request.extraction,
  proofId: request.proofId,
  requestSha256: request.requestSha256,
});
