import type { Caller, ModelCall, ModelPiece, OpenCall, TokenUsage } from './model-call.ts';

/** What is made of an answer; `content` is what the client gets of it, empty: nothing. */
export type ReadAnswer<T> = (
  raw: string,
  said: { finishReason: string; model: string },
) => { content: string; value: T };

/** What came of one call. */
export type Asked<T> = {
  value: T;
  /** As the model wrote it. */
  raw: string;
  /** `length`: it was cut off. */
  finishReason: string;
  model: string;
  /** That of the answer: a fallback has its own. */
  proofId: string;
  usage: TokenUsage;
};

type AskDeps<T> = { openCall: OpenCall; read: ReadAnswer<T> };

/**
 * One call, whose pieces are handed on as they come. Its certificate commits to what `read` says
 * that the client gets; it is durable when this returns.
 */
export async function* askOnce<T>(
  call: ModelCall,
  caller: Caller,
  { openCall, read }: AskDeps<T>,
): AsyncGenerator<ModelPiece, Asked<T>> {
  const { pieces, deliver } = openCall(call, caller);
  let said = { raw: '', model: '', proofId: call.proofId };
  let asked: Asked<T> | undefined;
  for await (const piece of pieces) {
    if (piece.kind === 'opened') {
      said = { ...said, model: piece.model, proofId: piece.proofId };
    } else if (piece.kind === 'text') {
      said.raw += piece.text;
    } else {
      const { finishReason } = piece;
      const { content, value } = read(said.raw, { finishReason, model: said.model });
      deliver(content);
      asked = { ...said, finishReason, value, usage: piece.usage };
    }
    yield piece;
  }
  // The gateway ends no call that was answered without saying so, and throws of all others.
  if (!asked) throw new Error('a model call ended without its ending');
  return asked;
}

/** The same for whoever wants the whole answer only. */
export const askWhole = async <T>(
  call: ModelCall,
  caller: Caller,
  deps: AskDeps<T>,
): Promise<Asked<T>> => {
  const asking = askOnce(call, caller, deps);
  for (;;) {
    const step = await asking.next();
    if (step.done) return step.value;
  }
};

export const NO_USAGE: TokenUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

/** The tokens of two calls together. */
export const addUsage = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  promptTokens: one.promptTokens + other.promptTokens,
  completionTokens: one.completionTokens + other.completionTokens,
  totalTokens: one.totalTokens + other.totalTokens,
});
