import { collectCalls } from '../model/collect-calls.ts';
import type { Caller, ModelCall, OpenCall, TokenUsage } from '../model/model-call.ts';
import type { UnusableAnswer } from '../model/to-retry-prompt.ts';
import { NO_USAGE } from '../turn/add-usage.ts';

export type AskDeps = { openCall: OpenCall; newId: (prefix: string) => string };

/** What came of a question, however many calls it took. */
export type AssistOutput = {
  /** What the client gets. */
  content: string;
  /** As the model wrote it. */
  raw: string;
  /** Why it is not what was asked for. */
  fault?: Omit<UnusableAnswer, 'raw'>;
  model: string;
  finishReason: string;
  /** Parameters of the prompt that the model does not take. */
  droppedParams: readonly string[];
  usage: TokenUsage;
  /** That of the call whose answer the client gets stands first. */
  proofIds: string[];
};

/** What the client gets of an answer. */
export type ReadAnswer = (
  raw: string,
  finishReason: string,
) => Pick<AssistOutput, 'content' | 'fault'>;

/** One call; its certificate commits to what the client gets of the answer. */
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
      const spent = { usage, proofIds: proofIds.toReversed() };
      Object.assign(output, read(output.raw, finishReason), { finishReason, ...spent });
      deliver(output.content);
    }
  }
  return output;
};
