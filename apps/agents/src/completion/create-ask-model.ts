import { collectAnswer } from '@witan/dialects';
import type { AskModel, OpenCall } from '@witan/dialects';

export const createAskModel =
  (openCall: OpenCall): AskModel =>
  async (call, caller) => {
    const read = (raw: string) => ({ content: raw, value: undefined });
    const result = await collectAnswer(call, caller, { openCall, read });
    const { content: text, finishReason, usage, model, proofIds } = result;
    return { text, finishReason, usage, model, proofIds: proofIds.toReversed() };
  };
