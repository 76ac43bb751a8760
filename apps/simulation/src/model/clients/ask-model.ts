import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  CompleteAsMessageSchema,
  CompleteEvent,
  CompleteRequestSchema,
  Opened,
  Usage,
} from '@witan/contracts';
import type { CompletionService } from '@witan/contracts/services';
import { createChannel } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { toRefusalError } from '@witan/dialects';
import type { ModelCall, ModelPiece, OpenCall, Prompt, TokenUsage } from '../model-call.ts';

/**
 * Time beyond the model's timeout that a call may take to deliver the answer and to write its
 * certificate.
 */
const DELIVERY_TIMEOUT_MS = 20_000;

/**
 * The route `service-auto` sends a prompt that is classified as sensitive to the local runtime, if
 * one is configured; `service-agent` would not.
 */
const AUTO = { requested: 'service-auto', kind: 'service-auto' } as const;
const LOCAL = { requested: 'service-sensitive', kind: 'service-sensitive' } as const;

export const createOpenCall =
  (completions: Client<typeof CompletionService>, timeoutMs: number): OpenCall =>
  (call, { workspaceId, requestId, signal }) => {
    const messages = createChannel<MessageInitShape<typeof CompleteAsMessageSchema>>(2);
    void messages.push({ message: { case: 'request', value: toRequest(call) } });
    const options = { workspaceId, requestId, signal, timeoutMs: timeoutMs + DELIVERY_TIMEOUT_MS };
    const events = completions.completeAs(messages, options);
    return {
      pieces: toPieces(events, messages.end),
      deliver: (content) =>
        void messages.push({ message: { case: 'delivered', value: { content } } }),
    };
  };

const toRequest = ({
  prompt,
  staysLocal,
  ...call
}: ModelCall): MessageInitShape<typeof CompleteRequestSchema> => ({
  ...call,
  address: staysLocal ? LOCAL : AUTO,
  input: { case: 'conversation', value: toConversation(prompt) },
});

const toConversation = ({ system, turns, temperature, maxOutputTokens, ...prompt }: Prompt) => ({
  system: system.map((text) => ({ text })),
  turns: [...turns],
  sampling: { temperature, maxOutputTokens, shortAnswer: prompt.isShort ?? false },
  streamed: prompt.isStreamed,
  responseFormat: { kind: 'json_object' },
});

const ERROR_STATUS_MIN = 400;

/**
 * Yields the pieces of a model call. Closes the request stream when the iteration ends for any
 * reason.
 */
async function* toPieces(
  events: AsyncIterable<CompleteEvent>,
  closeRequest: () => void,
): AsyncGenerator<ModelPiece> {
  let openedEvent: Opened | undefined;
  try {
    for await (const { event } of events) {
      if (event.case === 'opened') {
        openedEvent = event.value;
        const { model, proofId, status } = openedEvent;
        // For an error status no `opened` piece is yielded, because no model was called.
        if (status < ERROR_STATUS_MIN) yield { kind: 'opened', model, proofId };
      } else if (event.case === 'part') {
        const { part } = event.value;
        if (part.case === 'text' || part.case === 'refusal') {
          yield { kind: 'text', text: part.value };
        }
      } else if (event.case === 'refused') {
        throw toRefusalError(openedEvent!, event.value);
      } else if (event.case === 'ending') {
        const { finishReason, usage } = event.value;
        yield { kind: 'ending', finishReason, usage: toTokens(usage) };
      }
    }
  } finally {
    closeRequest();
  }
}

const toTokens = (usage: Usage | undefined): TokenUsage => ({
  promptTokens: usage?.promptTokens ?? 0,
  completionTokens: usage?.completionTokens ?? 0,
  totalTokens: usage?.totalTokens ?? 0,
});
