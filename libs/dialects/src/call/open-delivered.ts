import { create } from '@bufbuild/protobuf';
import {
  AddressSchema,
  cancelled,
  ConversationSchema,
  invalidRequest,
  ServiceError,
} from '@witan/contracts';
import type {
  AnswerCompleted,
  AnswerEnding,
  AnswerOpened,
  AnswerPiece,
  AnswerSink,
  Complete,
  CompletionCall,
  ProviderRefusal,
} from '@witan/contracts';
import { closeSchema, withoutLengths } from '../neutral/answer-schema.ts';
import { isOpenaiStrictSchema, SCHEMA_NAME } from '../neutral/is-openai-strict-schema.ts';
import type { CreateQueue, Queue } from './connect-completion.ts';
import type {
  Caller,
  ModelCall,
  ModelPiece,
  OpenCall,
  Prompt,
  TokenUsage,
  ToolCall,
} from './model-call.ts';

type PieceQueue = Queue<ModelPiece>;

/** Number of pieces that an answer may be ahead of its reader. */
const PIECES_MAX = 16;
/**
 * Time added to the timeout of a call for delivering the text and writing the certificate after the
 * provider has finished, in milliseconds.
 */
const CERTIFICATION_MS = 20_000;

type OpenCallOptions = {
  complete: Complete;
  createQueue: CreateQueue;
  /** Longest time of the model call, in milliseconds. */
  timeoutMs: number;
};

/**
 * Returns an `OpenCall` for answers that a client receives. Unless the answer requests tools, the
 * certificate commits to the text passed to `deliver`.
 */
export const createOpenCall =
  ({ timeoutMs, ...deps }: OpenCallOptions): OpenCall =>
  (call, caller) => {
    const { pieces, run } = openPieces(caller, {
      ...deps,
      timeoutMs: timeoutMs + CERTIFICATION_MS,
    });
    const delivered = Promise.withResolvers<string>();
    runInto(pieces, (sink) => {
      const ending = (value: AnswerEnding): Promise<string> => {
        sink.ending(value);
        return delivered.promise;
      };
      return run(toCompletionCall(call), { ...sink, ending });
    });
    return { pieces, deliver: delivered.resolve };
  };

/**
 * Returns an `OpenCall` for answers that no client receives: `deliver` does nothing, and the
 * certificate commits to the model's output.
 */
export const createOpenUndelivered =
  (options: OpenCallOptions): OpenCall =>
  (call, caller) => {
    const { pieces, run } = openPieces(caller, options);
    runInto(pieces, ({ opened, bytes, piece, refused }) =>
      run(toCompletionCall(call), { opened, bytes, piece, refused }),
    );
    return { pieces, deliver: () => {} };
  };

type Run = (call: CompletionCall, sink: AnswerSink) => Promise<AnswerCompleted>;

/** Opens the pieces of a call, which is cancelled when their reader leaves early. */
const openPieces = (
  { workspaceId, requestId, actorId, signal: caller }: Caller,
  { complete, createQueue, timeoutMs }: OpenCallOptions,
): { pieces: PieceQueue; run: Run } => {
  const left = new AbortController();
  const pieces = createQueue<ModelPiece>(PIECES_MAX, () => left.abort(cancelled()));
  const signal = AbortSignal.any([caller, left.signal]);
  const options = { workspaceId, requestId, actorId, signal, timeoutMs };
  return { pieces, run: (call, sink) => complete(call, options, sink) };
};

/** Returns the call of the llm-gateway that a model call is. */
export const toCompletionCall = ({
  prompt,
  grounding,
  address,
  proofId,
  requestSha256,
  purpose,
  answerProofId = '',
}: ModelCall): CompletionCall => ({
  ...{ proofId, requestSha256, purpose: purpose ?? '', answerProofId, systemPreamble: '' },
  address: create(AddressSchema, address),
  input: { case: 'conversation', value: create(ConversationSchema, toConversation(prompt)) },
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

type PieceSink = Omit<AnswerSink, 'ending'> & { ending: (ending: AnswerEnding) => void };

/**
 * Runs a call whose answer becomes pieces in a queue, with one `ending`: before the text is
 * delivered, or when the certificate is durable, as in calls without delivery or with tool calls.
 * The queue fails if the call does, or if the provider refused it.
 */
const runInto = (pieces: PieceQueue, run: (sink: PieceSink) => Promise<AnswerCompleted>): void => {
  let opened: AnswerOpened | undefined;
  let refusal: ServiceError | undefined;
  let hasEnded = false;
  let toolCall: ToolCall | undefined;
  const flushToolCall = (): Promise<void> | undefined => {
    if (!toolCall) return undefined;
    const call = toolCall;
    toolCall = undefined;
    return pieces.push({ kind: 'toolCall', call });
  };
  const end = ({ finishReason, usage }: AnswerEnding, proofId: string): void => {
    void flushToolCall();
    hasEnded = true;
    void pieces.push({ kind: 'ending', finishReason, usage: toTokens(usage), proofId });
  };
  const take = (piece: AnswerPiece): Promise<void> | undefined => {
    if (piece.case === 'toolArguments') {
      toolCall!.arguments += piece.value;
      return undefined;
    }
    const flushed = flushToolCall();
    if (piece.case === 'text' || piece.case === 'refusal') {
      return pieces.push({ kind: 'text', text: piece.value });
    }
    if (piece.case === 'reasoning') return pieces.push({ kind: 'reasoning', text: piece.value });
    if (piece.case === 'toolCall') {
      const { id = '', name = '' } = piece.value;
      toolCall = { id, name, arguments: '' };
    }
    return flushed;
  };
  const sink = {
    opened: (value: AnswerOpened) => {
      opened = value;
      const { provider, model, proofId, providerMs, droppedParams } = value;
      if (value.status < ERROR_STATUS_MIN) {
        void pieces.push({ kind: 'opened', provider, model, proofId, providerMs, droppedParams });
      }
    },
    bytes: () => undefined,
    piece: take,
    refused: (value: Pick<ProviderRefusal, 'message'>) => {
      refusal = toRefusalError(opened!, value);
    },
    ending: (value: AnswerEnding) => end(value, opened!.proofId),
  };
  run(sink).then((completed) => {
    if (refusal) return pieces.fail(refusal);
    if (!hasEnded) end(completed, completed.proofId);
    return pieces.end();
  }, pieces.fail);
};

const toTokens = ({ promptTokens, completionTokens, totalTokens }: TokenUsage): TokenUsage => ({
  promptTokens,
  completionTokens,
  totalTokens,
});

const REJECTED = new Set([400, 413, 422]);

const TOO_MANY = 429;

/** Seconds after which the client may retry if the provider sent no `Retry-After` header. */
const RETRY_AFTER_S = '5';

export const toRefusalError = (
  { status, headers, proofId: proof }: Pick<AnswerOpened, 'status' | 'headers' | 'proofId'>,
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
