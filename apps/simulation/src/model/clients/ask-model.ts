import type { CompletionService } from '@witan/contracts/services';
import { openDelivered } from '@witan/dialects';
import type { OpenCall } from '@witan/dialects';
import { createChannel } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';

/**
 * Time beyond the model's timeout that a call may take to deliver the answer and to write its
 * certificate.
 */
const DELIVERY_TIMEOUT_MS = 20_000;

export const createOpenCall =
  (completions: Client<typeof CompletionService>, timeoutMs: number): OpenCall =>
  (call, { workspaceId, requestId, signal }) => {
    const options = { workspaceId, requestId, signal, timeoutMs: timeoutMs + DELIVERY_TIMEOUT_MS };
    return openDelivered(call, createChannel(2), (messages) =>
      completions.completeAs(messages, options),
    );
  };
