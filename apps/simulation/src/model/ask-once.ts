import { toTextTurn } from '@witan/dialects';
import type { Caller, ModelCall, ModelPiece, OpenCall, Prompt, TokenUsage } from '@witan/dialects';

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
    } else if (piece.kind === 'ending') {
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

type UnusableAnswer = {
  raw: string;
  finishReason: string;
  instruction: string;
};

/**
 * Returns the prompt of a retry: the original one with the unusable answer and the instruction
 * appended, at temperature 0 and with little reasoning. After a truncated answer the token limit is
 * doubled. If that answer was empty, the limit is raised to the maximum, because reasoning may have
 * used it up.
 */
export const toRetryPrompt = (
  prompt: Prompt,
  { raw, finishReason, instruction }: UnusableAnswer,
): Prompt => {
  const isEmpty = raw.trim() === '';
  const { maxOutputTokens: limit = OUTPUT_TOKENS_MAX, turns } = prompt;
  const raisedLimit = isEmpty ? OUTPUT_TOKENS_MAX : Math.min(limit * 2, OUTPUT_TOKENS_MAX);
  return {
    ...prompt,
    isStreamed: false,
    isShort: true,
    temperature: 0,
    maxOutputTokens: finishReason === 'length' ? Math.max(limit, raisedLimit) : limit,
    turns: [
      ...turns,
      toTextTurn('assistant', isEmpty ? '...' : raw),
      toTextTurn('user', instruction),
    ],
  };
};

const OUTPUT_TOKENS_MAX = 16_000;

/**
 * The route `service-auto` sends a prompt that is classified as sensitive to the local runtime, if
 * one is configured; `service-agent` would not.
 */
export const AUTO = { requested: 'service-auto', kind: 'service-auto' } as const;
/** Only the local runtime may receive the prompt. */
export const LOCAL = { requested: 'service-sensitive', kind: 'service-sensitive' } as const;
