import { NO_USAGE, collectCalls } from '@witan/dialects';
import type { AskModel, ModelAnswer, OpenCall } from '@witan/dialects';

export const createAskModel =
  (openCall: OpenCall): AskModel =>
  async (call, caller) => {
    const { pieces, deliver } = openCall(call, caller);
    const answer: ModelAnswer = {
      text: '',
      reasoning: '',
      finishReason: '',
      usage: NO_USAGE,
      model: '',
      proofIds: [],
    };
    for await (const piece of pieces) {
      if (piece.kind === 'opened') answer.model = piece.model;
      else if (piece.kind === 'text') answer.text += piece.text;
      else if (piece.kind === 'reasoning') answer.reasoning += piece.text;
      else if (piece.kind === 'ending') {
        const { usage, proofIds } = collectCalls(piece);
        const { finishReason } = piece;
        Object.assign(answer, { finishReason, usage, proofIds: proofIds.toReversed() });
        deliver(answer.text);
      }
    }
    return answer;
  };
