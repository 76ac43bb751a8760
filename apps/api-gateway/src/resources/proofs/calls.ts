import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { CertifiedCall } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import { ADDRESS_KINDS, FINISH_REASONS, ROUTING_REASONS, TASK_TYPES } from '@witan/proof';
import type { Client } from '@witan/service-kit';
import type { Route } from '../../http/route.ts';
import { closedObject, count, flag, instant, nullableText, text } from '../../http/schema.ts';
import { PAGE_QUERY, readLimit } from '../list-page.ts';
import { nativeRoutes } from '../native-routes.ts';
import { encodeCost, MONEY_OR_NULL } from '../usage/money.ts';
import { FILTER_QUERY, NEXT_CURSOR, readFilter } from './certificate-filter.ts';
import { CURSOR } from './proof-schema.ts';
import { PROOF_SCOPES } from './export-proofs.ts';

const call = closedObject(
  {
    proofId: text,
    createdAt: instant,
    address: closedObject(
      { kind: { enum: ADDRESS_KINDS } },
      { agent: text, knowledge: flag, sensitive: flag },
    ),
    requestedModel: text,
    provider: text,
    model: { ...text, description: 'The model that ran' },
    taskType: { enum: TASK_TYPES },
    routingReason: { enum: ROUTING_REASONS },
    keyId: { ...nullableText, description: 'Null for calls of earlier releases' },
    usage: closedObject(
      { promptTokens: count, completionTokens: count, totalTokens: count },
      { estimated: flag, cachedTokens: count, cacheWriteTokens: count },
    ),
    cost: MONEY_OR_NULL,
    durationMs: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Until the end of the answer; null when it was lost, or for earlier releases',
    },
    maskedCount: count,
    finishReason: { enum: FINISH_REASONS },
  },
  {
    fallbackChain: {
      type: 'array',
      items: text,
      description: 'Certificates of the attempts at other targets that failed before, in order',
    },
  },
);

const CALLS = closedObject({ calls: { type: 'array', items: call } }, { nextCursor: NEXT_CURSOR });

const { handled } = nativeRoutes('Proofs', 'gateway');

export const listCallsRoute = (certificates: Client<typeof CertificateService>): Route =>
  handled('get', '/v1/calls', {
    id: 'listCalls',
    summary:
      'Certified calls, newest first: their certificates, and key, time and cost beside them',
    scopes: PROOF_SCOPES,
    query: { ...FILTER_QUERY, limit: PAGE_QUERY.limit, cursor: CURSOR },
    responses: { 200: { description: 'The calls', schema: CALLS } },
    errors: { 400: 'A filter, limit or cursor is not valid' },
    handle: async ({ query, options }) => {
      const { cursor = '' } = query as { cursor?: string };
      const request = { filter: readFilter(query), limit: readLimit(query), cursor };
      const { calls, nextCursor } = await certificates.listCalls(request, options);
      const json = { calls: calls.map(encodeCall), ...(nextCursor ? { nextCursor } : {}) };
      return { status: 200, json };
    },
  });

const encodeCall = ({ address, usage, ...found }: CertifiedCall) => ({
  proofId: found.proofId,
  createdAt: timestampDate(found.createdAt!),
  address: {
    kind: address!.kind,
    ...(address!.agent ? { agent: address!.agent } : {}),
    ...(address!.knowledge ? { knowledge: true } : {}),
    ...(address!.sensitive ? { sensitive: true } : {}),
  },
  requestedModel: address!.requested,
  provider: found.provider,
  model: found.model,
  taskType: found.taskType,
  routingReason: found.routingReason,
  keyId: found.apiKeyId || null,
  usage: {
    promptTokens: usage!.promptTokens,
    completionTokens: usage!.completionTokens,
    totalTokens: usage!.totalTokens,
    ...(usage!.estimated ? { estimated: true } : {}),
    ...(usage!.cachedTokens === undefined ? {} : { cachedTokens: usage!.cachedTokens }),
    ...(usage!.cacheWriteTokens === undefined ? {} : { cacheWriteTokens: usage!.cacheWriteTokens }),
  },
  cost: encodeCost(found.costMicros),
  durationMs: found.durationMs ?? null,
  maskedCount: found.maskedCount,
  finishReason: found.finishReason,
  ...(found.fallbackChain.length === 0 ? {} : { fallbackChain: found.fallbackChain }),
});
