import { isServiceError, ServiceError } from '@witan/contracts';
import { askOnce, collectAnswer, toRetryInstruction, toTextTurn, addUsage } from '@witan/dialects';
import type {
  JsonError,
  Caller,
  ModelCall,
  OpenCall,
  TokenUsage,
  CallResult,
  ReadAnswer,
} from '@witan/dialects';
import { AUTO, toRetryPrompt } from '../model/to-retry-prompt.ts';
import { describeMarketTask, toMarketSchema } from './describe-market-task.ts';
import { BUDGETS, checkQuery } from './market-analysis.ts';
import type { Depth, MarketAnalysis, MarketStore } from './market-analysis.ts';
import { createSectionReader } from './create-section-reader.ts';
import type { DisplayPiece } from './create-section-reader.ts';
import { readMarketAnswer } from './read-market-answer.ts';

export type MarketQuestion = {
  query: string;
  depth: Depth;
  proofId: string;
  requestSha256: string;
  isStreamed: boolean;
};

/**
 * Pieces of a market analysis in the order in which they are yielded; `completed` is the last one.
 */
export type MarketPiece =
  | { kind: 'started'; id: string; model: string; proofId: string }
  | DisplayPiece
  | { kind: 'completed'; analysis: MarketAnalysis; finishReason: string; usage: TokenUsage };

export type AnalyzeMarketDeps = {
  openCall: OpenCall;
  store: Pick<MarketStore, 'insert'>;
  newId: (prefix: string) => string;
  clock: () => Date;
};

/**
 * Asks a model to analyse a market and yields the pieces of its answer.
 * 1. The text of the first answer is yielded as it arrives if the client streams. If the answer is
 *    readable, its certificate commits to the analysis that was read from it.
 * 2. If the answer is unreadable or incomplete, the model is called once more with the error, at
 *    temperature 0 and without streaming. If that fails, or its answer is unreadable, the first one
 *    is used, provided that it is readable.
 * 3. The analysis is stored and yielded as the last piece.
 *
 * Throws INVALID_REQUEST before any call if the query is invalid, PROVIDER_INVALID_ANSWER if no
 * answer is readable, and the error of the model call if it failed and there is no readable answer.
 */
export async function* analyzeMarket(
  question: MarketQuestion,
  caller: Caller,
  deps: AnalyzeMarketDeps,
): AsyncGenerator<MarketPiece> {
  checkQuery(question.query);
  const id = deps.newId('mka');
  const call = toCall(question);
  const first = yield* streamAnswer(id, call, caller, {
    ...deps,
    read: createReadAnswer(question, deps),
  });
  const retry = first.value.error && (await retryCall(call, { first, question, caller, deps }));
  const { best, usage, proofIds } = retry ?? { best: first, ...first, proofIds: [first.proofId] };
  const { text, readAt } = best.value;
  if (text === undefined) throw unreadable(best.proofId);
  const { query, depth } = question;
  const analysis = { id, query, depth, createdAt: readAt, analysis: text, proofIds };
  await deps.store.insert(caller.workspaceId, analysis);
  yield { kind: 'completed', analysis, finishReason: best.finishReason, usage };
}

const TEMPERATURE = 0.3;

const toCall = ({
  query,
  depth,
  proofId,
  requestSha256,
  isStreamed,
}: MarketQuestion): ModelCall => ({
  proofId,
  requestSha256,
  purpose: 'analysis',
  address: AUTO,
  prompt: {
    system: [describeMarketTask(depth)],
    turns: [toTextTurn('user', query)],
    temperature: TEMPERATURE,
    maxOutputTokens: BUDGETS[depth].outputTokens,
    wantsJson: toMarketSchema(depth),
    isStreamed,
  },
});

type Read = { text?: string; error?: JsonError; readAt: Date };

const createReadAnswer =
  ({ query, depth, isStreamed }: MarketQuestion, { clock }: AnalyzeMarketDeps): ReadAnswer<Read> =>
  (raw, received) => {
    const readAt = clock();
    const { analysis, error } = readMarketAnswer(raw, { ...received, query, depth, readAt });
    const text = analysis && JSON.stringify(analysis);
    return {
      // The certificate commits to this content. If the answer is unreadable, it is the raw text if
      // the client streams, because parts of that text were delivered, and otherwise empty.
      content: text ?? (isStreamed ? raw : ''),
      value: { ...(text ? { text } : {}), ...(error ? { error } : {}), readAt },
    };
  };

async function* streamAnswer(
  id: string,
  call: ModelCall,
  caller: Caller,
  { openCall, read }: { openCall: OpenCall; read: ReadAnswer<Read> },
): AsyncGenerator<MarketPiece, CallResult<Read>> {
  const sections = createSectionReader();
  const pieces = askOnce(call, caller, { openCall, read });
  try {
    for (;;) {
      const step = await pieces.next();
      if (step.done) return step.value;
      if (step.value.kind === 'opened') {
        const { model, proofId } = step.value;
        yield { kind: 'started', id, model, proofId };
      } else if (step.value.kind === 'text' && call.prompt.isStreamed) {
        yield* sections.push(step.value.text);
      }
    }
  } finally {
    // Cancels the model call if the iteration ends early because the client disconnected.
    await pieces.return(undefined as never);
  }
}

type MarketRetry = {
  first: CallResult<Read>;
  question: MarketQuestion;
  caller: Caller;
  deps: AnalyzeMarketDeps;
};

const retryCall = async (call: ModelCall, { first, question, caller, deps }: MarketRetry) => {
  const instruction = toRetryInstruction(first.value.error!);
  // A copy of the schema is not shown again, because the model would repeat it.
  const raw = first.value.error!.kind === 'schema-echo' ? '' : first.raw;
  const prompt = toRetryPrompt(call.prompt, { ...first, raw, instruction });
  const retry = { ...call, proofId: deps.newId('pf'), prompt };
  const read = createReadAnswer({ ...question, isStreamed: false }, deps);
  try {
    const second = await collectAnswer(retry, caller, { openCall: deps.openCall, read });
    const isSecondBetter = second.value.text !== undefined || first.value.text === undefined;
    const [best, discarded] = isSecondBetter ? [second, first] : [first, second];
    return {
      best,
      usage: addUsage(first.usage, second.usage),
      proofIds: [best.proofId, discarded.proofId],
    };
  } catch (error) {
    if (caller.signal.aborted || first.value.text === undefined) throw error;
    // The retry failed, but the first answer is readable, paid for and certified, so it is used.
    const certified = isServiceError(error) && error.fields.proof ? [error.fields.proof] : [];
    return { best: first, usage: first.usage, proofIds: [first.proofId, ...certified] };
  }
};

const unreadable = (proof: string): ServiceError =>
  new ServiceError(
    'PROVIDER_INVALID_ANSWER',
    'The model gave no analysis that can be read, not even when it was asked again; try again.',
    { fields: { proof } },
  );
