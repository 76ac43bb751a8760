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
import type {
  ModelCall,
  ModelPiece,
  OpenCall,
  Prompt,
  TokenUsage,
  ToolCall,
} from '../model-call.ts';

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
  (call, { workspaceId, requestId, signal }) => {
    const messages = createChannel<MessageInitShape<typeof CompleteAsMessageSchema>>(2);
    void messages.push({ message: { case: 'request', value: toRequest(call) } });
    const options = { workspaceId, requestId, signal, timeoutMs: timeoutMs + CERTIFICATION_MS };
    const events = completions.completeAs(messages, options);
    return {
      pieces: endAfter(toPieces(events), messages.end),
      deliver: (content) =>
        void messages.push({ message: { case: 'delivered', value: { content } } }),
    };
  };

/**
 * Returns an `OpenCall` for answers that no client receives: `deliver` does nothing, and the
 * certificate commits to the model's output.
 */
export const createOpenUndelivered =
  (completions: Completions, timeoutMs: number): OpenCall =>
  (call, { workspaceId, requestId, signal }) => {
    const options = { workspaceId, requestId, signal, timeoutMs };
    return { pieces: toPieces(completions.complete(toRequest(call), options)), deliver: () => {} };
  };

async function* endAfter<T>(pieces: AsyncIterable<T>, end: () => void): AsyncGenerator<T> {
  try {
    yield* pieces;
  } finally {
    end();
  }
}

const toRequest = ({
  prompt,
  grounding,
  ...call
}: ModelCall): MessageInitShape<typeof CompleteRequestSchema> => ({
  ...call,
  input: { case: 'conversation', value: toConversation(prompt) },
  ...(grounding ? { grounding: { passages: [...grounding] } } : {}),
});

const toConversation = ({ system, turns, temperature, maxOutputTokens, ...prompt }: Prompt) => ({
  system: system.map((text) => ({ text })),
  turns: [...turns],
  tools: [...(prompt.tools ?? [])],
  sampling: { temperature, maxOutputTokens, shortAnswer: prompt.isShort ?? false },
  streamed: prompt.isStreamed,
  ...(prompt.wantsJson ? { responseFormat: { kind: 'json_object' } } : {}),
});

const ERROR_STATUS_MIN = 400;

/**
 * Converts the llm-gateway's events to pieces and throws if the provider refused the call. Yields
 * one `ending`: on the event `ending`, or on `completed` if no `ending` came before it, as in calls
 * without delivery or with tool calls.
 */
async function* toPieces(events: AsyncIterable<CompleteEvent>): AsyncGenerator<ModelPiece> {
  let openedEvent: Opened | undefined;
  let hasEnded = false;
  let call: ToolCall | undefined;
  for await (const { event } of events) {
    if (call && !(event.case === 'part' && event.value.part.case === 'toolArguments')) {
      yield { kind: 'toolCall', call };
      call = undefined;
    }
    if (event.case === 'opened') {
      openedEvent = event.value;
      const { provider, model, proofId, providerMs, droppedParams } = openedEvent;
      if (openedEvent.status < ERROR_STATUS_MIN) {
        yield { kind: 'opened', provider, model, proofId, providerMs, droppedParams };
      }
    } else if (event.case === 'part') {
      const { part } = event.value;
      if (part.case === 'text' || part.case === 'refusal') yield { kind: 'text', text: part.value };
      else if (part.case === 'reasoning') yield { kind: 'reasoning', text: part.value };
      else if (part.case === 'toolCall') {
        call = { id: part.value.id, name: part.value.name, arguments: '' };
      } else if (part.case === 'toolArguments') call!.arguments += part.value;
    } else if (event.case === 'refused') {
      throw toRefusalError(openedEvent!, event.value);
    } else if ((event.case === 'ending' || event.case === 'completed') && !hasEnded) {
      hasEnded = true;
      const { finishReason, usage } = event.value;
      const proofId = event.case === 'completed' ? event.value.proofId : openedEvent!.proofId;
      yield { kind: 'ending', finishReason, usage: toTokens(usage), proofId };
    }
  }
}

const toTokens = (usage: Usage | undefined): TokenUsage => ({
  promptTokens: usage?.promptTokens ?? 0,
  completionTokens: usage?.completionTokens ?? 0,
  totalTokens: usage?.totalTokens ?? 0,
});
