import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readPage } from '@witan/contracts';
import type { AnalyzeMarketEventSchema } from '@witan/contracts';
import type { MarketService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { analyzeMarket } from '../analyze-market.ts';
import type { AnalyzeMarketDeps, MarketPiece } from '../analyze-market.ts';
import { noSuchAnalysis, toDepth } from '../market-analysis.ts';
import type { MarketAnalysis, MarketObserver, MarketStore } from '../market-analysis.ts';

type MarketHandlersDeps = Omit<AnalyzeMarketDeps, 'store'> & {
  store: MarketStore;
  observer: MarketObserver;
  now: () => number;
};

export const createMarketHandlers = ({
  observer,
  now,
  ...deps
}: MarketHandlersDeps): Handlers<typeof MarketService> => ({
  async *analyzeMarket({ query, proofId, requestSha256, ...request }, call) {
    const { workspaceId, requestId, actorId, signal } = call;
    const depth = toDepth(request.depth);
    const question = { query, depth, proofId, requestSha256, isStreamed: request.streamed };
    const caller = { workspaceId, requestId, actorId, signal };
    const calledAt = now();
    for await (const piece of analyzeMarket(question, caller, deps)) {
      if (piece.kind === 'completed') observer.onAnalysed(piece.analysis, now() - calledAt);
      yield { event: toEvent(piece) };
    }
  },
  listMarketAnalyses: async (page, { workspaceId }) => {
    const { items, nextCursor } = await readPage(page, (query) =>
      deps.store.list(workspaceId, query),
    );
    return { analyses: items.map(toListed), nextCursor };
  },
  getMarketAnalysis: async ({ analysisId }, { workspaceId }) => {
    const analysis = await deps.store.find(workspaceId, analysisId);
    if (!analysis) throw noSuchAnalysis();
    return { analysis: toMessage(analysis) };
  },
});

type Event = NonNullable<MessageInitShape<typeof AnalyzeMarketEventSchema>['event']>;

const toEvent = (piece: MarketPiece): Event => {
  if (piece.kind === 'started') {
    const { id, model, proofId } = piece;
    return { case: 'started', value: { id, model, proofId } };
  }
  if (piece.kind === 'section') return { case: 'section', value: piece.name };
  if (piece.kind === 'delta') return { case: 'delta', value: piece.text };
  const { analysis, finishReason, usage } = piece;
  return { case: 'completed', value: { ...toMessage(analysis), finishReason, usage } };
};

const toMessage = ({ analysis, proofIds, ...listedFields }: MarketAnalysis) => ({
  ...toListed(listedFields),
  analysis,
  proofIds: [...proofIds],
});

const toListed = ({
  createdAt,
  ...listedFields
}: Omit<MarketAnalysis, 'analysis' | 'proofIds'>) => ({
  ...listedFields,
  createdAt: timestampFromDate(createdAt),
});
