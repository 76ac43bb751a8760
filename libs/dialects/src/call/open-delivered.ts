import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest, ServiceError } from '@witan/contracts';
import type {
  ProviderRefusal,
  CompleteAsMessageSchema,
  CompleteEvent,
  CompleteRequestSchema,
  Opened,
  Usage,
} from '@witan/contracts';
import { closeSchema, withoutLengths } from '../neutral/answer-schema.ts';
import { isOpenaiStrictSchema, SCHEMA_NAME } from '../neutral/is-openai-strict-schema.ts';
import type {
  ModelCall,
  ModelPiece,
  Prompt,
  RunningCall,
  TokenUsage,
  ToolCall,
} from './model-call.ts';

type CompleteAsMessage = MessageInitShape<typeof CompleteAsMessageSchema>;
type CompleteAsMessages = AsyncIterable<CompleteAsMessage> & {
  push: (message: CompleteAsMessage) => unknown;
  end: () => void;
};

/**
 * Opens a call whose answer a client receives. Unless the answer requests tools, the certificate
 * commits to the text passed to `deliver`. `messages` carries the request and the delivered text to
 * `completeAs`.
 */
export const openDelivered = (
  call: ModelCall,
  messages: CompleteAsMessages,
  completeAs: (messages: CompleteAsMessages) => AsyncIterable<CompleteEvent>,
): RunningCall => {
  void messages.push({ message: { case: 'request', value: toCompleteRequest(call) } });
  return {
    pieces: endAfter(toPieces(completeAs(messages)), messages.end),
    deliver: (content) =>
      void messages.push({ message: { case: 'delivered', value: { content } } }),
  };
};

async function* endAfter<T>(pieces: AsyncIterable<T>, end: () => void): AsyncGenerator<T> {
  try {
    yield* pieces;
  } finally {
    end();
  }
}

/** Returns the request of a call to the llm-gateway. */
export const toCompleteRequest = ({
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
  responseFormat: toResponseFormat(prompt.wantsJson),
});

const toResponseFormat = (wantsJson: Prompt['wantsJson']) => {
  if (typeof wantsJson === 'boolean') return wantsJson ? { kind: 'json_object' } : undefined;
  const schema = closeSchema(wantsJson);
  const isStrict = isOpenaiStrictSchema(withoutLengths(schema));
  return {
    kind: 'json_schema',
    name: SCHEMA_NAME,
    schema: JSON.stringify(schema),
    ...(isStrict ? { strict: true } : {}),
  };
};

const ERROR_STATUS_MIN = 400;

/**
 * Converts the llm-gateway's events to pieces and throws if the provider refused the call. Yields
 * one `ending`: on the event `ending`, or on `completed` if no `ending` came before it, as in calls
 * without delivery or with tool calls.
 */
export async function* toPieces(events: AsyncIterable<CompleteEvent>): AsyncGenerator<ModelPiece> {
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

const REJECTED = new Set([400, 413, 422]);

const TOO_MANY = 429;

/** Seconds after which the client may retry if the provider sent no `Retry-After` header. */
const RETRY_AFTER_S = '5';

export const toRefusalError = (
  { status, headers, proofId: proof }: Pick<Opened, 'status' | 'headers' | 'proofId'>,
  { message }: Pick<ProviderRefusal, 'message'>,
): ServiceError => {
  if (REJECTED.has(status)) {
    const code = 'provider_rejected';
    return invalidRequest(`The model provider rejected the call: ${message}`, { code, proof });
  }
  if (status === TOO_MANY) {
    const retryAfter = headers['retry-after'] ?? RETRY_AFTER_S;
    const fields = { code: 'provider_rate_limited', proof, retryAfter };
    const text = 'The model provider takes no more calls for the moment; try again later.';
    return new ServiceError('RATE_LIMITED', text, { fields });
  }
  const text = `The model provider answered with status ${status}.`;
  return new ServiceError('PROVIDER_UNREACHABLE', text, { fields: { proof } });
};
