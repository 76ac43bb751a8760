import { collectCalls } from './model-call.ts';
import type { Caller, ModelCall, ModelPiece, OpenCall, TokenUsage } from './model-call.ts';

/** Reads the text of an answer; the returned `content` is the text that is delivered. */
export type ReadAnswer<T> = (
  raw: string,
  received: { finishReason: string; model: string },
) => { content: string; value: T };

export type CallResult<T> = {
  value: T;
  raw: string;
  content: string;
  finishReason: string;
  model: string;
  droppedParams: readonly string[];
  proofId: string;
  /** Certificate ids of all calls, in the order of the calls; `proofId` is the last one. */
  proofIds: string[];
  /** Usage of all calls. */
  usage: TokenUsage;
  /** Tokens of the prompt of the answering call. */
  promptTokens: number;
};

type AskDeps<T> = {
  openCall: OpenCall;
  read: ReadAnswer<T>;
  onText?: (text: string) => void;
};

/**
 * Makes one model call and yields its pieces. Calls `deliver` with the `content` that `read`
 * returns. The certificate is durable when the generator returns.
 */
export async function* askOnce<T>(
  call: ModelCall,
  caller: Caller,
  { openCall, read, onText }: AskDeps<T>,
): AsyncGenerator<ModelPiece, CallResult<T>> {
  const { pieces, deliver } = openCall(call, caller);
  const received = { raw: '', model: '', droppedParams: NO_PARAMS };
  let result: CallResult<T> | undefined;
  for await (const piece of pieces) {
    if (piece.kind === 'opened') {
      const { model, droppedParams } = piece;
      Object.assign(received, { model, droppedParams });
    } else if (piece.kind === 'text') {
      received.raw += piece.text;
      onText?.(piece.text);
    } else if (piece.kind === 'ending') {
      const { finishReason, proofId } = piece;
      const { content, value } = read(received.raw, { finishReason, model: received.model });
      deliver(content);
      const { promptTokens } = piece.usage;
      const ending = { finishReason, proofId, promptTokens, ...collectCalls(piece) };
      result = { ...received, content, value, ...ending };
    }
    yield piece;
  }
  // The gateway sends an `ending` for every successful call and throws for all others, so this is a
  // bug.
  if (!result) throw new Error('The model call ended without an ending event.');
  return result;
}

const NO_PARAMS: readonly string[] = [];

/** Makes one model call as `askOnce` does and returns its result. */
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
