import type { Complete } from '@witan/contracts';
import { CompletionService } from '@witan/contracts/services';
import { collectAnswer, connectCompletion } from '@witan/dialects';
import type { AskModel, OpenCall } from '@witan/dialects';
import { createChannel, createClient } from '@witan/service-kit';
import type { Transport } from '@witan/service-kit';

/** Returns the function that runs model calls. */
export const connectModels = (llmGateway: Transport): Complete => {
  const completions = createClient(CompletionService, llmGateway);
  return connectCompletion({
    direct: (kind) => llmGateway.direct?.(CompletionService.method[kind]),
    complete: completions.complete,
    completeAs: completions.completeAs,
    createQueue: createChannel,
  });
};

export const createAskModel =
  (openCall: OpenCall): AskModel =>
  async (call, caller) => {
    const read = (raw: string) => ({ content: raw, value: undefined });
    const result = await collectAnswer(call, caller, { openCall, read });
    const { content: text, finishReason, usage, model, proofIds } = result;
    return { text, finishReason, usage, model, proofIds: proofIds.toReversed() };
  };
