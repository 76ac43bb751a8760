import type { ModelCall, ModelEnding, ModelPiece, OpenCall, RunningCall } from '@witan/dialects';
import { emptyAnswer, maximizeOutputLimit } from './to-retry-prompt.ts';

/**
 * Returns an `OpenCall` that repeats a call once, with its output limit raised to the maximum, if
 * the answer was cut off before any text or tool call: a reasoning model can spend the whole limit
 * on reasoning. The two calls appear as one, whose ending reports the first call as `repeated`. The
 * second call gets a new certificate id and no tools, because an answer with tools would need two
 * ids. The iteration rejects with PROVIDER_INVALID_ANSWER if the second answer is cut off before
 * any text as well, with the error of `checkRepeat`, or with that of a failed call.
 */
export const withSecondAttempt =
  (openCall: OpenCall, newId: (prefix: string) => string): OpenCall =>
  ({ checkRepeat, ...call }, caller) => {
    let runningCall = openCall(call, caller);
    const openSecondAttempt = async (): Promise<RunningCall> => {
      await checkRepeat?.();
      runningCall = openCall(toSecondCall(call, newId('pf')), caller);
      return runningCall;
    };
    return {
      pieces: relay(runningCall, openSecondAttempt),
      deliver: (content) => runningCall.deliver(content),
    };
  };

async function* relay(
  first: RunningCall,
  openSecondAttempt: () => Promise<RunningCall>,
): AsyncGenerator<ModelPiece> {
  const repeated = yield* relayUnlessEmpty(first);
  if (!repeated) return;
  const { usage, proofId } = repeated;
  const failed = yield* relayUnlessEmpty(await openSecondAttempt(), {
    repeated: { usage, proofId },
  });
  if (failed) throw emptyAnswer(failed.proofId);
}

async function* relayUnlessEmpty(
  { pieces, deliver }: RunningCall,
  earlier: Pick<ModelEnding, 'repeated'> = {},
): AsyncGenerator<ModelPiece, ModelEnding | undefined> {
  let hasContent = false;
  let empty: ModelEnding | undefined;
  for await (const piece of pieces) {
    hasContent ||= piece.kind === 'toolCall' || (piece.kind === 'text' && piece.text.trim() !== '');
    if (piece.kind !== 'ending') yield piece;
    else if (hasContent || piece.finishReason !== 'length') yield { ...piece, ...earlier };
    else {
      empty = piece;
      deliver('');
    }
  }
  return empty;
}

const toSecondCall = (call: ModelCall, proofId: string): ModelCall => {
  const { answerProofId: _id, ...rest } = call;
  const { tools: _tools, ...prompt } = call.prompt;
  return { ...rest, proofId, prompt: maximizeOutputLimit(prompt) };
};
