import { collectCalls, NO_USAGE } from '@witan/dialects';
import type { Caller, ModelCall, OpenCall, TokenUsage } from '@witan/dialects';
import type { UnusableAnswer } from '../completion/to-retry-prompt.ts';

export type AskDeps = { openCall: OpenCall; newId: (prefix: string) => string };

export type AssistOutput = {
  content: string;
  raw: string;
  unusable?: Omit<UnusableAnswer, 'raw'>;
  model: string;
  finishReason: string;
  droppedParams: readonly string[];
  usage: TokenUsage;
  /** Certificate ids of all calls; the one of the delivered answer comes first. */
  proofIds: string[];
};

export type ReadAnswer = (
  raw: string,
  finishReason: string,
) => Pick<AssistOutput, 'content' | 'unusable'>;

/**
 * Calls the model once and delivers the content that `read` returns for its answer; the certificate
 * commits to that content.
 */
export const askOnce = async (
  call: ModelCall,
  caller: Caller,
  { openCall, read }: Pick<AskDeps, 'openCall'> & { read: ReadAnswer },
): Promise<AssistOutput> => {
  const { pieces, deliver } = openCall(call, caller);
  const output: AssistOutput = {
    content: '',
    raw: '',
    model: '',
    finishReason: '',
    droppedParams: [],
    usage: NO_USAGE,
    proofIds: [],
  };
  for await (const piece of pieces) {
    if (piece.kind === 'opened') {
      Object.assign(output, { model: piece.model, droppedParams: piece.droppedParams });
    } else if (piece.kind === 'text') output.raw += piece.text;
    else if (piece.kind === 'ending') {
      const { finishReason } = piece;
      const { usage, proofIds } = collectCalls(piece);
      const cost = { usage, proofIds: proofIds.toReversed() };
      Object.assign(output, read(output.raw, finishReason), { finishReason, ...cost });
      deliver(output.content);
    }
  }
  return output;
};
