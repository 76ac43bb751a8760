import type { Caller, ModelCall, ModelPiece, OpenCall, TokenUsage } from './model-call.ts';

export type ReadAnswer<T> = (
  raw: string,
  received: { finishReason: string; model: string },
) => { content: string; value: T };

export type CallResult<T> = {
  value: T;
  raw: string;
  finishReason: string;
  model: string;
  proofId: string;
  usage: TokenUsage;
};

type AskDeps<T> = { openCall: OpenCall; read: ReadAnswer<T> };

/**
 * Makes one model call and yields its pieces. The certificate commits to the `content` that `read`
 * returns, and is stored durably before the generator ends.
 */
export async function* askOnce<T>(
  call: ModelCall,
  caller: Caller,
  { openCall, read }: AskDeps<T>,
): AsyncGenerator<ModelPiece, CallResult<T>> {
  const { pieces, deliver } = openCall(call, caller);
  let received = { raw: '', model: '', proofId: call.proofId };
  let result: CallResult<T> | undefined;
  for await (const piece of pieces) {
    if (piece.kind === 'opened') {
      received = { ...received, model: piece.model, proofId: piece.proofId };
    } else if (piece.kind === 'text') {
      received.raw += piece.text;
    } else {
      const { finishReason } = piece;
      const { content, value } = read(received.raw, { finishReason, model: received.model });
      deliver(content);
      result = { ...received, finishReason, value, usage: piece.usage };
    }
    yield piece;
  }
  // The gateway sends an `ending` for every successful call and throws for all others, so this is a
  // bug.
  if (!result) throw new Error('The model call ended without an ending event.');
  return result;
}

export const collectAnswer = async <T>(
  call: ModelCall,
  caller: Caller,
  deps: AskDeps<T>,
): Promise<CallResult<T>> => {
  const pieces = askOnce(call, caller, deps);
  for (;;) {
    const step = await pieces.next();
    if (step.done) return step.value;
  }
};

export const NO_USAGE: TokenUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  totalTokens: a.totalTokens + b.totalTokens,
});
