import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { checkLimit } from '@witan/contracts';
import type { CertificateFilter, CertifiedCallSchema } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import { parsePayload } from '@witan/proof';
import type { CertificatePayload } from '@witan/proof';
import type { Handlers } from '@witan/service-kit';
import { toCertificate } from '../../chain/rpc/certificates.ts';
import { toMicros } from '../../usage/prices.ts';
import type { Prices } from '../../usage/prices.ts';
import { toConditions } from '../call.ts';
import type { CallReader, StoredCall } from '../call.ts';
import { earlierAttemptsOf } from '../fallback-chain.ts';
import { parseCursor, scanCalls } from '../scan-calls.ts';

type CallDeps = { calls: CallReader; prices: Pick<Prices, 'costOf'>; clock: () => number };

type CallHandlers = Pick<Handlers<typeof CertificateService>, 'listCertificates' | 'listCalls'>;

export const createCallHandlers = (deps: CallDeps): CallHandlers => ({
  listCertificates: async ({ filter, fromIndex, ...page }, { workspaceId }) => {
    checkLimit(page.limit);
    // `fromIndex` is 0 unless set, which is the default of the order of the chain only.
    const first = page.newestFirst && fromIndex === 0 ? undefined : fromIndex;
    const start = parseCursor(page.cursor) ?? first;
    const scan = { ...page, ...toScan(filter), start };
    const { calls, nextCursor } = await scanCalls(workspaceId, scan, deps);
    return { certificates: calls.map(toCertificate), nextCursor };
  },
  listCalls: async ({ limit, filter, cursor }, { workspaceId }) => {
    checkLimit(limit);
    const scan = { limit, newestFirst: true, ...toScan(filter), start: parseCursor(cursor) };
    const { calls, nextCursor } = await scanCalls(workspaceId, scan, deps);
    const payloads = calls.map((call) => ({ call, payload: toPayload(call) }));
    const earlier = payloads.flatMap(({ payload }) => earlierAttemptsOf(payload));
    const known = await deps.calls.findIds(workspaceId, earlier);
    return {
      calls: payloads.map(({ call, payload }) => ({
        ...toCall(call, payload, deps.prices),
        fallbackChain: earlierAttemptsOf(payload).filter((id) => known.has(id)),
      })),
      nextCursor,
    };
  },
});

const toScan = (filter: CertificateFilter | undefined) => ({
  conditions: toConditions(filter),
  fromMs: toMs(filter?.from),
  toMs: toMs(filter?.to),
});

const toMs = (time: Timestamp | undefined): number | undefined =>
  time && timestampDate(time).getTime();

const toPayload = ({ payload }: StoredCall): CertificatePayload =>
  parsePayload(JSON.parse(payload));

const toCall = (
  { apiKeyId, durationMs, cachedTokens, cacheWriteTokens }: StoredCall,
  { id, issuedAt, request, address, egress, response, routing }: CertificatePayload,
  prices: Pick<Prices, 'costOf'>,
): MessageInitShape<typeof CertifiedCallSchema> => {
  const { usage } = response;
  const cost = prices.costOf(egress, {
    promptTokens: BigInt(usage.promptTokens),
    completionTokens: BigInt(usage.completionTokens),
    cachedTokens: BigInt(cachedTokens ?? 0),
    cacheWriteTokens: BigInt(cacheWriteTokens ?? 0),
  });
  return {
    proofId: id,
    createdAt: timestampFromMs(Date.parse(issuedAt)),
    address: { ...address, requested: request.model },
    provider: egress.provider,
    model: egress.model,
    taskType: routing.taskType,
    routingReason: routing.reason,
    apiKeyId: apiKeyId ?? '',
    usage: {
      ...usage,
      ...(cachedTokens === null ? {} : { cachedTokens }),
      ...(cacheWriteTokens === null ? {} : { cacheWriteTokens }),
    },
    ...(cost === undefined ? {} : { costMicros: toMicros(cost) }),
    ...(durationMs === null ? {} : { durationMs }),
    maskedCount: egress.pii.masked,
    finishReason: response.finishReason,
  };
};
