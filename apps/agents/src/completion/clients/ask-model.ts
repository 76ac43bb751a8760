import { collectAnswer } from '@witan/dialects';
import type { AskModel } from '@witan/dialects';
import type { CompletionService } from '@witan/contracts/services';
import { createChannel } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { openDelivered, toCompleteRequest, toPieces } from '@witan/dialects';
import type { OpenCall } from '@witan/dialects';

type Completions = Client<typeof CompletionService>;

/**
 * Time added to the call's timeout for delivering the text and writing the certificate after the
 * provider has finished, in milliseconds.
 */
const CERTIFICATION_MS = 20_000;

/**
 * Returns an `OpenCall` for answers that a client receives; the certificate commits to the text
 * passed to `deliver`.
 */
export const createOpenCall =
  (completions: Completions, timeoutMs: number): OpenCall =>
  (call, { workspaceId, requestId, actorId, signal }) => {
    const options = {
      workspaceId,
      requestId,
      actorId,
      signal,
      timeoutMs: timeoutMs + CERTIFICATION_MS,
    };
    return openDelivered(call, createChannel(2), (messages) =>
      completions.completeAs(messages, options),
    );
  };

/**
 * Returns an `OpenCall` for answers that no client receives: `deliver` does nothing, and the
 * certificate commits to the model's output.
 */
export const createOpenUndelivered =
  (completions: Completions, timeoutMs: number): OpenCall =>
  (call, { workspaceId, requestId, actorId, signal }) => {
    const options = { workspaceId, requestId, actorId, signal, timeoutMs };
    return {
      pieces: toPieces(completions.complete(toCompleteRequest(call), options)),
      deliver: () => {},
    };
  };

export const createAskModel =
  (openCall: OpenCall): AskModel =>
  async (call, caller) => {
    const read = (raw: string) => ({ content: raw, value: undefined });
    const result = await collectAnswer(call, caller, { openCall, read });
    const { content: text, finishReason, usage, model, proofIds } = result;
    return { text, finishReason, usage, model, proofIds: proofIds.toReversed() };
  };
