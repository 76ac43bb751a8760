import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Address } from './gen/witan/common/v1/address_pb.ts';
import type { GroundingSchema } from './gen/witan/common/v1/grounding_pb.ts';
import type { Usage } from './gen/witan/common/v1/usage_pb.ts';
import type { AnswerPartSchema } from './gen/witan/llm/v1/answer_pb.ts';
import type {
  Completed,
  Ending,
  Opened,
  ProviderRefusal,
  WireBody,
} from './gen/witan/llm/v1/completion_pb.ts';
import type { Conversation } from './gen/witan/llm/v1/conversation_pb.ts';

/** A message as a plain object. */
export type Plain<T> = Omit<T, '$typeName' | '$unknown'>;

/**
 * A client's body: its bytes, their text, and the object in it, read once. It is emptied
 * when nothing reads it any more, because a call may go on for minutes.
 */
export type RequestBody = { bytes: Uint8Array; text: string; value: Record<string, unknown> };

/** A model call to route, send and certify: a `CompleteRequest` whose body is read already. */
export type CompletionCall = {
  proofId: string;
  address: Plain<Address>;
  /** Lower-case hex commitment to the client's request body. */
  requestSha256: string;
  input:
    | { case: 'wire'; value: Plain<Omit<WireBody, 'json'>> & { body: RequestBody } }
    | { case: 'conversation'; value: Conversation };
  grounding?: MessageInitShape<typeof GroundingSchema> | undefined;
  systemPreamble: string;
  purpose: string;
  /** Empty, or the id that was announced for the certificate; only for callers with `ending`. */
  answerProofId: string;
};

export type AnswerOpened = Plain<Opened>;
export type AnswerPiece = Exclude<
  NonNullable<MessageInitShape<typeof AnswerPartSchema>['part']>,
  { case: undefined }
>;
export type AnswerEnding = Omit<Plain<Ending>, 'usage'> & { usage: Plain<Usage> };
export type AnswerCompleted = Omit<Plain<Completed>, 'usage'> & { usage: Plain<Usage> };

/**
 * Takes an answer as it arrives: `opened`, then `bytes`, `piece` or `refused`. A returned promise
 * is awaited before more is sent, because the receiver's buffer is full.
 */
export type AnswerSink = {
  /** The call is routed and its tokens are reserved; nothing is sent yet. */
  reserved?: () => void;
  opened: (opened: AnswerOpened) => void;
  /** Bytes in the client's dialect; the last ones come when the certificate is durable. */
  bytes: (bytes: Uint8Array) => Promise<void> | undefined;
  /** A part of a neutral answer. */
  piece: (piece: AnswerPiece) => Promise<void> | undefined;
  /** The provider's error in the neutral form, instead of pieces. */
  refused: (refusal: Plain<ProviderRefusal>) => void;
  /**
   * For a caller that edits the answer: it is complete and not certified. Resolves with the text
   * that the client received; null or an empty text if it received none.
   */
  ending?: (ending: AnswerEnding) => Promise<string | null>;
};

export type CompleteOptions = {
  workspaceId?: string;
  requestId?: string;
  /** Who the call is made for within the workspace. */
  actorId?: string | undefined;
  signal?: AbortSignal;
  timeoutMs: number;
};

/**
 * Runs a model call and passes its answer to `sink`. Resolves when the certificate is durable;
 * rejects with a ServiceError.
 */
export type Complete = (
  call: CompletionCall,
  options: CompleteOptions,
  sink: AnswerSink,
) => Promise<AnswerCompleted>;
