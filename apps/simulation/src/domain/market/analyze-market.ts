import { isServiceError, ServiceError } from '@witan/contracts';
import { toReaskInstruction } from '@witan/dialects';
import type { JsonError } from '@witan/dialects';
import { addUsage, askOnce, askWhole } from '../model/ask-once.ts';
import type { Asked, ReadAnswer } from '../model/ask-once.ts';
import type { Caller, ModelCall, OpenCall, TokenUsage } from '../model/model-call.ts';
import { toReask, toTextTurn } from '../model/to-reask.ts';
import { budgetOf } from './depth-budget.ts';
import { describeMarketTask } from './describe-market-task.ts';
import { checkQuery } from './market-analysis.ts';
import type { Depth, MarketAnalysis, MarketStore } from './market-analysis.ts';
import { openSectionReader } from './open-section-reader.ts';
import type { ShownPiece } from './open-section-reader.ts';
import { readMarketAnswer } from './read-market-answer.ts';

export type MarketQuestion = {
  query: string;
  depth: Depth;
  /** Of the certificate of the first call. */
  proofId: string;
  /** Lower-case hex commitment to the client's request body. */
  requestSha256: string;
  /** Pieces are wanted as they come. */
  isStreamed: boolean;
};

/** What happens in an analysis, in order; `completed` is the last. */
export type MarketPiece =
  | { kind: 'started'; id: string; model: string; proofId: string }
  | ShownPiece
  | { kind: 'completed'; analysis: MarketAnalysis; finishReason: string; usage: TokenUsage };

export type AnalyzeMarketDeps = {
  openCall: OpenCall;
  store: Pick<MarketStore, 'insert'>;
  newId: (prefix: string) => string;
  clock: () => Date;
};

/**
 * Asks a model what it knows of a market (C9):
 * 1. One call, shown as it comes. Its certificate commits to the analysis that was read out of it.
 * 2. An answer that cannot be read, or lacks a part, is asked for once more with what was wrong, at
 *    temperature 0; that is not shown. Where it is no better the first one stands.
 * 3. The analysis is kept, and is the last piece.
 * Throws INVALID_REQUEST before anybody is asked, PROVIDER_INVALID_ANSWER when there is nothing to
 * keep, and what the calls throw.
 */
export async function* analyzeMarket(
  question: MarketQuestion,
  caller: Caller,
  deps: AnalyzeMarketDeps,
): AsyncGenerator<MarketPiece> {
  checkQuery(question.query);
  const id = deps.newId('mka');
  const call = toCall(question);
  const first = yield* showAnswer(id, call, caller, { ...deps, read: toRead(question, deps) });
  const again = first.value.fault && (await askAgain(call, { first, question, caller, deps }));
  const { best, usage, proofIds } = again ?? { best: first, ...first, proofIds: [first.proofId] };
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
  // Nothing but the caller's question is in it.
  staysLocal: false,
  prompt: {
    system: [describeMarketTask(depth)],
    turns: [toTextTurn('user', query)],
    temperature: TEMPERATURE,
    maxOutputTokens: budgetOf(depth).outputTokens,
    isStreamed,
  },
});

/** `text` is the JSON text of the analysis, where there is one; `fault` asks for another answer. */
type Read = { text?: string; fault?: JsonError; readAt: Date };

const toRead =
  ({ query, depth, isStreamed }: MarketQuestion, { clock }: AnalyzeMarketDeps): ReadAnswer<Read> =>
  (raw, said) => {
    const readAt = clock();
    const { analysis, fault } = readMarketAnswer(raw, { ...said, query, depth, readAt });
    const text = analysis && JSON.stringify(analysis);
    return {
      // Of what is no analysis a client got what it was shown.
      content: text ?? (isStreamed ? raw : ''),
      value: { ...(text ? { text } : {}), ...(fault ? { fault } : {}), readAt },
    };
  };

/** The answer as it comes: `started`, and what there is to watch when somebody watches. */
async function* showAnswer(
  id: string,
  call: ModelCall,
  caller: Caller,
  { openCall, read }: { openCall: OpenCall; read: ReadAnswer<Read> },
): AsyncGenerator<MarketPiece, Asked<Read>> {
  const sections = openSectionReader();
  const asking = askOnce(call, caller, { openCall, read });
  try {
    for (;;) {
      const step = await asking.next();
      if (step.done) return step.value;
      if (step.value.kind === 'opened') {
        const { model, proofId } = step.value;
        yield { kind: 'started', id, model, proofId };
      } else if (step.value.kind === 'text' && call.prompt.isStreamed) {
        yield* sections.push(step.value.text);
      }
    }
  } finally {
    // A client that leaves in the middle breaks the call off.
    await asking.return(undefined as never);
  }
}

type Again = {
  first: Asked<Read>;
  question: MarketQuestion;
  caller: Caller;
  deps: AnalyzeMarketDeps;
};

/** The better of two answers, and what both took. */
const askAgain = async (call: ModelCall, { first, question, caller, deps }: Again) => {
  const instruction = toReaskInstruction(first.value.fault!);
  const prompt = toReask(call.prompt, { ...first, instruction });
  const again = { ...call, proofId: deps.newId('pf'), prompt };
  const read = toRead({ ...question, isStreamed: false }, deps);
  try {
    const second = await askWhole(again, caller, { openCall: deps.openCall, read });
    const isBetter = second.value.text !== undefined || first.value.text === undefined;
    const [best, other] = isBetter ? [second, first] : [first, second];
    return {
      best,
      usage: addUsage(first.usage, second.usage),
      proofIds: [best.proofId, other.proofId],
    };
  } catch (error) {
    if (caller.signal.aborted || first.value.text === undefined) throw error;
    // What the first one has is paid for, and is certified as delivered.
    const sealed = isServiceError(error) && error.fields.proof ? [error.fields.proof] : [];
    return { best: first, usage: first.usage, proofIds: [first.proofId, ...sealed] };
  }
};

const unreadable = (proof: string): ServiceError =>
  new ServiceError(
    'PROVIDER_INVALID_ANSWER',
    'The model gave no analysis that can be read, not even when it was asked again; try again.',
    { fields: { proof } },
  );
