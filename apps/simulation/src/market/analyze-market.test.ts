import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import type { Caller, ModelCall, ModelPiece, OpenCall } from '@witan/dialects';
import { analyzeMarket } from './analyze-market.ts';
import type { MarketPiece, MarketQuestion } from './analyze-market.ts';
import type { MarketAnalysis } from './market-analysis.ts';
import { describeMarketTask, toMarketSchema } from './describe-market-task.ts';
import { DEPTHS } from './market-analysis.ts';

const QUESTION: MarketQuestion = {
  query: 'Bread in France',
  depth: 'quick',
  proofId: 'pf_client',
  requestSha256: 'ab'.repeat(32),
  isStreamed: true,
};
const ANSWER = '{"marketSize":"Large","trends":["Up"],"competitors":[],"recommendations":[]}';
const PARTIAL_ANSWER = '{"trends":["Half"]}';
const OPENED_FIELDS = { provider: 'openai', providerMs: 1, droppedParams: [] };
const USAGE = { promptTokens: 10, completionTokens: 2, totalTokens: 12 };

type Answer = string | { cut: string } | Error;

const createAnalyst = (...answers: Answer[]) => {
  const calls: ModelCall[] = [];
  const delivered: string[] = [];
  const stored: MarketAnalysis[] = [];
  const ended: string[] = [];
  const client = new AbortController();
  const caller: Caller = { workspaceId: 'ws_1', requestId: 'req_1', signal: client.signal };
  const openCall: OpenCall = (call) => {
    const answer = answers[calls.push(call) - 1]!;
    const pieces = streamAnswer(call, answer, () => ended.push(call.proofId));
    return { pieces, deliver: (content) => void delivered.push(content) };
  };
  const start = (more: Partial<MarketQuestion> = {}) =>
    analyzeMarket({ ...QUESTION, ...more }, caller, {
      openCall,
      store: { insert: async (_workspaceId, analysis) => void stored.push(analysis) },
      newId: (prefix) => `${prefix}_new`,
      clock: () => new Date('2026-01-02T03:04:05Z'),
    });
  const run = async (more?: Partial<MarketQuestion>): Promise<MarketPiece[]> => {
    const pieces: MarketPiece[] = [];
    for await (const piece of start(more)) pieces.push(piece);
    return pieces;
  };
  return { start, run, calls, delivered, stored, ended, client };
};

async function* streamAnswer(
  { proofId }: ModelCall,
  answer: Answer,
  onEnd: () => void,
): AsyncGenerator<ModelPiece> {
  try {
    if (answer instanceof Error) throw answer;
    const text = typeof answer === 'string' ? answer : answer.cut;
    yield { kind: 'opened', ...OPENED_FIELDS, model: 'gpt', proofId };
    yield { kind: 'text', text: text.slice(0, 20) };
    yield { kind: 'text', text: text.slice(20) };
    const finishReason = typeof answer === 'string' ? 'stop' : 'length';
    yield { kind: 'ending', finishReason, usage: USAGE, proofId };
  } finally {
    onEnd();
  }
}

const kindsOf = (pieces: readonly MarketPiece[]) => pieces.map(({ kind }) => kind);
const trendsOf = (pieces: readonly MarketPiece[]): unknown => {
  const last = pieces.at(-1);
  return last?.kind === 'completed'
    ? (JSON.parse(last.analysis.analysis) as { trends: unknown }).trends
    : undefined;
};

describe('analyzeMarket', () => {
  it('streams the answer, certifies the analysis and stores it', async () => {
    const { run, calls, delivered, stored } = createAnalyst(ANSWER);
    const pieces = await run();
    expect(pieces[0]).toEqual({
      kind: 'started',
      id: 'mka_new',
      model: 'gpt',
      proofId: 'pf_client',
    });
    const text = pieces.map((piece) => (piece.kind === 'delta' ? piece.text : '')).join('');
    expect(text).toBe(ANSWER);
    expect(pieces.filter(({ kind }) => kind === 'section')).toHaveLength(4);
    const [analysis] = stored;
    const ended = { finishReason: 'stop', usage: USAGE };
    expect(pieces.at(-1)).toEqual({ kind: 'completed', analysis, ...ended });
    expect(analysis).toMatchObject({ id: 'mka_new', depth: 'quick', proofIds: ['pf_client'] });
    expect(delivered).toEqual([analysis!.analysis]);
    expect(calls).toEqual([expect.objectContaining({ proofId: 'pf_client', purpose: 'analysis' })]);
    expect(calls[0]!.prompt).toMatchObject({ isStreamed: true, maxOutputTokens: 2_000 });
  });

  it('streams no pieces unless requested', async () => {
    const { run, calls } = createAnalyst(ANSWER);
    expect(kindsOf(await run({ isStreamed: false }))).toEqual(['started', 'completed']);
    expect(calls[0]!.prompt.isStreamed).toBe(false);
  });

  it('retries with the error, and with a higher limit if the answer was truncated', async () => {
    const { run, calls, delivered, stored } = createAnalyst({ cut: '{"trends": [' }, ANSWER);
    const pieces = await run();
    expect(trendsOf(pieces)).toEqual(['Up']);
    expect(pieces.filter(({ kind }) => kind === 'started')).toHaveLength(1);
    expect(pieces.at(-1)).toMatchObject({ usage: { totalTokens: 24 } });
    expect(stored[0]!.proofIds).toEqual(['pf_new', 'pf_client']);
    // The first answer was streamed to the client, so its raw text was certified as delivered.
    expect(delivered).toEqual(['{"trends": [', stored[0]!.analysis]);
    const { temperature, maxOutputTokens, isStreamed, turns } = calls[1]!.prompt;
    expect([temperature, maxOutputTokens, isStreamed]).toEqual([0, 4_000, false]);
    expect(JSON.stringify(turns.at(-1))).toContain('cut off');
  });

  it('retries with the maximum limit after an empty truncated answer', async () => {
    const { run, calls } = createAnalyst({ cut: '' }, ANSWER);
    expect((await run()).at(-1)).toMatchObject({ kind: 'completed', finishReason: 'stop' });
    expect(calls[1]!.prompt).toMatchObject({ maxOutputTokens: 16_000, isShort: true });
  });

  it('states that the stored analysis was truncated', async () => {
    const { run } = createAnalyst(
      { cut: PARTIAL_ANSWER },
      new ServiceError('PROVIDER_TIMEOUT', 'late'),
    );
    expect((await run()).at(-1)).toMatchObject({ kind: 'completed', finishReason: 'length' });
  });

  it.each<[string, Answer, unknown]>([
    ['is complete', ANSWER, ['Up']],
    ['is unreadable', 'No.', ['Half']],
    ['fails', new ServiceError('PROVIDER_TIMEOUT', 'late'), ['Half']],
  ])('stores the better of two answers if the second %s', async (_name, second, trends) => {
    const { run } = createAnalyst(PARTIAL_ANSWER, second);
    expect(trendsOf(await run())).toEqual(trends);
  });

  it('stores nothing without an analysis, and returns the certificate', async () => {
    const { run, delivered, stored } = createAnalyst('No.', 'Never.');
    const fields = { proof: 'pf_new' };
    await expect(run({ isStreamed: false })).rejects.toMatchObject({
      reason: 'PROVIDER_INVALID_ANSWER',
      fields,
    });
    expect([delivered, stored]).toEqual([['', ''], []]);
  });

  it.each<[string, Answer]>([
    ['an empty answer', ''],
    ['an empty truncated answer', { cut: '' }],
    ['only empty parts', '{"marketSize":"","trends":[],"competitors":[],"recommendations":[]}'],
  ])('fails, streamed or not, if the model returns %s twice', async (_what, answer) => {
    for (const isStreamed of [true, false]) {
      const { run, calls, stored } = createAnalyst(answer, answer);
      const reason = 'PROVIDER_INVALID_ANSWER';
      await expect(run({ isStreamed })).rejects.toMatchObject({ reason });
      expect([calls.length, stored]).toEqual([2, []]);
    }
  });

  it('fails with the error of its call', async () => {
    const { run } = createAnalyst(new ServiceError('RATE_LIMITED', 'wait'));
    await expect(run()).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
  });

  it.each(['', ' \n', 'a\0', 'x'.repeat(8_001)])(
    'rejects an invalid question: %#',
    async (query) => {
      const { run, calls } = createAnalyst(ANSWER);
      const fields = { param: 'query' };
      await expect(run({ query })).rejects.toMatchObject({ reason: 'INVALID_REQUEST', fields });
      expect(calls).toEqual([]);
    },
  );

  it('cancels its call when the client disconnects', async () => {
    const { start, ended, stored } = createAnalyst(ANSWER);
    const pieces = start();
    await pieces.next();
    await pieces.return(undefined);
    expect([ended, stored]).toEqual([['pf_client'], []]);
  });

  it('does not retry for a client that disconnected', async () => {
    const { run, client } = createAnalyst(PARTIAL_ANSWER, new ServiceError('CANCELLED', 'gone'));
    client.abort();
    await expect(run()).rejects.toMatchObject({ reason: 'CANCELLED' });
  });
});

describe('toMarketSchema', () => {
  it.each(DEPTHS)('describes a %s analysis in fewer than 6,000 characters', (depth) => {
    expect((describeMarketTask(depth) + JSON.stringify(toMarketSchema(depth))).length).toBeLessThan(
      6_000,
    );
  });

  it('requests segments for comprehensive analyses only', () => {
    const depthsWithSam = DEPTHS.filter((depth) =>
      JSON.stringify(toMarketSchema(depth)).includes('"sam":'),
    );
    expect(depthsWithSam).toEqual(['comprehensive']);
  });
});
