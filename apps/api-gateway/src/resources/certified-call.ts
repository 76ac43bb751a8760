import { hash } from 'node:crypto';
import type { Usage } from '@witan/contracts';
import { commitmentText } from '@witan/proof';
import { newId } from '@witan/service-kit';
import { setDroppedParamsHeader, toHeaderText } from '../http/route.ts';
import { JSON_DEPTH_MAX } from '../http/check-json.ts';
import type { RouteResponses, RouteCall } from '../http/route.ts';
import { DOCUMENTED_ERROR } from '../errors/error-schema.ts';

export type Proof = {
  proofId: string;
  requestSha256: string;
};

export const openProof = ({ body, proofId = newId('pf') }: RouteCall): Proof => ({
  proofId,
  requestSha256: hash('sha256', commitmentText(body, { maxDepth: JSON_DEPTH_MAX }), 'hex'),
});

export const CERTIFIED_HEADERS = {
  'x-service-proof': 'Id of the certificate',
  'x-service-model': 'What ran',
} as const;

type OpenedCall = { proofId: string; model: string; droppedParams?: readonly string[] };

/**
 * Sets the response headers that name the certificate, the model and the dropped parameters. They
 * are also sent if the call fails later.
 */
export const setProofHeaders = (
  { response }: RouteCall,
  { proofId, model, droppedParams = [] }: OpenedCall,
): void => {
  response.setHeader('x-service-proof', proofId);
  response.setHeader('x-service-model', toHeaderText(model));
  response.locals.model = model;
  setDroppedParamsHeader(response, droppedParams);
};

export const setProofsHeader = ({ response }: RouteCall, proofIds: readonly string[]): void => {
  response.setHeader('x-service-proofs', proofIds.join(', '));
};

const error = DOCUMENTED_ERROR.native;

export const CERTIFIED_ERRORS: RouteResponses = {
  400: error('The body is not valid, or the provider rejected the call (provider_rejected)'),
  402: error('The account has not enough tokens; nothing was sent'),
  502: error('The provider failed'),
  503: error('The ledger or a service is down; nothing was sent'),
  504: error('The provider did not answer in time'),
};

export const encodeTokenUsage = (usage: Usage | undefined) => ({
  promptTokens: usage?.promptTokens ?? 0,
  completionTokens: usage?.completionTokens ?? 0,
  totalTokens: usage?.totalTokens ?? 0,
});
