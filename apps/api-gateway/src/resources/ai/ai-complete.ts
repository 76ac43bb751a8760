import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AssistRequestSchema } from '@witan/contracts';
import type { AssistanceService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { AI_COMPLETE, AI_COMPLETION } from './ai-schema.ts';
import {
  CERTIFIED_ERRORS,
  CERTIFIED_HEADERS,
  setProofHeaders,
  setProofsHeader,
  openProof,
} from '../certified-call.ts';
import type { Proof } from '../certified-call.ts';
import { toContextItem } from '../agent-chat/context-item.ts';
import { encodeTokenUsage } from '../encode-token-usage.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Assistance = Client<typeof AssistanceService>;

export const aiCompleteRoute = (assistance: Assistance, timeoutMs: number): Route => ({
  id: 'complete',
  method: 'post',
  path: '/v1/ai/complete',
  surface: 'native',
  summary: 'A completion with supplementary data, and facts extracted beside it',
  tag: 'Completion layer',
  scopes: ['ai'],
  body: AI_COMPLETE,
  idempotent: true,
  responses: {
    200: {
      description:
        'The answer; `x-service-proofs` lists the certificates of all model calls behind it. ' +
        '`x-service-dropped-params` names parameters that the model does not take, if any. ' +
        '`extracted` is empty when extraction was not asked for, or failed',
      schema: AI_COMPLETION,
      headers: CERTIFIED_HEADERS,
    },
    ...CERTIFIED_ERRORS,
  },
  handle: async (call) => {
    const options = { ...optionsOf(call), timeoutMs };
    const assisted = await assistance.assist(toAssistRequest(call, openProof(call)), options);
    const { usage, model, proofIds, droppedParams } = assisted;
    // The first proof id is that of the certificate of the returned text, also if a fallback or a
    // retry produced the text.
    setProofHeaders(call, { proofId: proofIds[0]!, model, droppedParams });
    setProofsHeader(call, proofIds);
    return reply(200, AI_COMPLETION, assisted, { usage: encodeTokenUsage(usage) });
  },
});

const toAssistRequest = (
  { body }: RouteCall,
  proof: Proof,
): MessageInitShape<typeof AssistRequestSchema> => {
  const {
    systemPrompt,
    messages,
    json = false,
    supplementary = [],
    ...rest
  } = body as Static<typeof AI_COMPLETE>;
  const { extraction } = rest;
  return {
    ...proof,
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
  };
};
