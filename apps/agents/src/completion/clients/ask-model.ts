import { cancelled } from '@witan/contracts';
import type { Complete } from '@witan/contracts';
import { CompletionService } from '@witan/contracts/services';
import { collectAnswer, connectCompletion, openDelivered, openUndelivered } from '@witan/dialects';
import type { AskModel, Caller, ModelPiece, OpenCall } from '@witan/dialects';
import { createChannel, createClient } from '@witan/service-kit';
import type { CallOptions, Channel, Transport } from '@witan/service-kit';

/**
 * Time added to the call's timeout for delivering the text and writing the certificate after the
 * provider has finished, in milliseconds.
 */
const CERTIFICATION_MS = 20_000;
/** Number of pieces that an answer may be ahead of its reader. */
const PIECES_MAX = 16;

/** Returns the function that runs model calls. */
export const connectModels = (llmGateway: Transport): Complete => {
  const completions = createClient(CompletionService, llmGateway);
  return connectCompletion({
    direct: (kind) => llmGateway.direct?.(CompletionService.method[kind]),
    complete: completions.complete,
    completeAs: completions.completeAs,
    createQueue: () => createChannel(2),
  });
};

/** Opens the pieces of a call, which is cancelled when their reader leaves early. */
const openPieces = (
  { workspaceId, requestId, actorId, signal: caller }: Caller,
  timeoutMs: number,
): { pieces: Channel<ModelPiece>; options: CallOptions } => {
  const left = new AbortController();
  const pieces = createChannel<ModelPiece>(PIECES_MAX, () => left.abort(cancelled()));
  const signal = AbortSignal.any([caller, left.signal]);
  return { pieces, options: { workspaceId, requestId, actorId, signal, timeoutMs } };
};

/**
 * Returns an `OpenCall` for answers that a client receives; the certificate commits to the text
 * passed to `deliver`.
 */
export const createOpenCall =
  (complete: Complete, timeoutMs: number): OpenCall =>
  (call, caller) => {
    const { pieces, options } = openPieces(caller, timeoutMs + CERTIFICATION_MS);
    return openDelivered(call, pieces, (request, sink) => complete(request, options, sink));
  };

/**
 * Returns an `OpenCall` for answers that no client receives: `deliver` does nothing, and the
 * certificate commits to the model's output.
 */
export const createOpenUndelivered =
  (complete: Complete, timeoutMs: number): OpenCall =>
  (call, caller) => {
    const { pieces, options } = openPieces(caller, timeoutMs);
    return openUndelivered(call, pieces, (request, sink) => complete(request, options, sink));
  };

export const createAskModel =
  (openCall: OpenCall): AskModel =>
  async (call, caller) => {
    const read = (raw: string) => ({ content: raw, value: undefined });
    const result = await collectAnswer(call, caller, { openCall, read });
    const { content: text, finishReason, usage, model, proofIds } = result;
    return { text, finishReason, usage, model, proofIds: proofIds.toReversed() };
  };
