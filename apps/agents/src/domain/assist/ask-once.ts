import type { JsonFault } from '@witan/dialects';
import type { Caller, ModelCall, OpenCall, TokenUsage } from '../model/model-call.ts';
import { NO_USAGE } from '../turn/add-usage.ts';

export type AskDeps = { openCall: OpenCall; newId: (prefix: string) => string };

/** What came of a question, however many calls it took. */
export type Said = {
  /** What the client gets. */
  content: string;
  /** As the model wrote it. */
  raw: string;
  /** Why it is not what was asked for. */
  fault?: JsonFault;
  model: string;
  usage: TokenUsage;
  /** That of the call whose answer the client gets stands first. */
  proofIds: string[];
};

/** What the client gets of an answer. */
type ReadAnswer = (raw: string, finishReason: string) => Pick<Said, 'content' | 'fault'>;

/** One call; its certificate commits to what the client gets of the answer. */
export const askOnce = async (
  call: ModelCall,
  caller: Caller,
  { openCall, read }: Pick<AskDeps, 'openCall'> & { read: ReadAnswer },
): Promise<Said> => {
  const { pieces, deliver } = openCall(call, caller);
  const said: Said = {
    content: '',
    raw: '',
    model: '',
    usage: NO_USAGE,
    proofIds: [call.proofId],
  };
  for await (const piece of pieces) {
    if (piece.kind === 'opened') {
      // A fallback has a certificate of its own.
      Object.assign(said, { model: piece.model, proofIds: [piece.proofId] });
    } else if (piece.kind === 'text') said.raw += piece.text;
    else if (piece.kind === 'ending') {
      Object.assign(said, read(said.raw, piece.finishReason), { usage: piece.usage });
      deliver(said.content);
    }
  }
  return said;
};
