import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AssistRequestSchema } from '@witan/contracts';
import type { AssistanceService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { Route } from '../../http/route.ts';
import { AI_COMPLETE, AI_COMPLETION } from './ai-schema.ts';
import {
  CERTIFIED_ERRORS,
  CERTIFIED_HEADERS,
  encodeTokenUsage,
  setProofHeaders,
  setProofsHeader,
  openProof,
} from '../certified-call.ts';
import { toContextItem } from '../agent-chat/context-item.ts';
import { nativeRoutes } from '../native-routes.ts';
import type { Static } from '../../http/schema.ts';

const { act } = nativeRoutes('Completion layer', 'ai');

export const aiCompleteRoute = (
  assistance: Client<typeof AssistanceService>,
  timeoutMs: number,
): Route =>
  act('/v1/ai/complete', {
    id: 'complete',
    summary: 'A completion with supplementary data, and facts extracted beside it',
    body: AI_COMPLETE,
    idempotent: true,
    returns:
      'The answer; `x-service-proofs` lists the certificates of all model calls behind it. ' +
      '`x-service-dropped-params` names parameters that the model does not take, if any. ' +
      '`extracted` is empty when extraction was not asked for, or failed',
    returnsHeaders: CERTIFIED_HEADERS,
    schema: AI_COMPLETION,
    errors: CERTIFIED_ERRORS,
    run: async ({ call, body, options }) => {
      const request = { ...openProof(call), ...toAssistRequest(body) };
      const assisted = await assistance.assist(request, { ...options, timeoutMs });
      const { usage, model, proofIds, droppedParams } = assisted;
      // The first proof id is that of the certificate of the returned text, also if a fallback or
      // a retry produced the text.
      setProofHeaders(call, { proofId: proofIds[0]!, model, droppedParams });
      setProofsHeader(call, proofIds);
      return { ...assisted, usage: encodeTokenUsage(usage) };
    },
  });

const toAssistRequest = ({
  systemPrompt,
  messages,
  json = false,
  supplementary = [],
  extraction,
  ...rest
}: Static<typeof AI_COMPLETE>): MessageInitShape<typeof AssistRequestSchema> => ({
  systemPrompt,
  messages: messages.map(({ role, content }) => ({ role, content })),
  json,
  temperature: rest.temperature,
  maxTokens: rest.max_tokens,
  supplementary: supplementary.map(toContextItem),
  extraction: extraction && {
    source: extraction.source,
    categories: extraction.categories,
    persist: extraction.persist ?? false,
  },
});
