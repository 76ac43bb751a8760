import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AnswerPartSchema, Conversation, ServiceError, Usage } from '@witan/contracts';
import type { AnswerGatherer, FinishReason } from '@witan/proof';
import type { Hole } from './json/create-template-parser.ts';
import type { MemberEdits } from './json/edit-members.ts';

/** The wire dialects that clients and providers speak. */
export const DIALECT_NAMES = ['chat-completions', 'messages'] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/**
 * One wire dialect as pure functions. The first group serves calls that stay in their dialect,
 * where only a few members are edited; the second converts calls between dialects through the
 * neutral form of `witan.llm.v1`.
 */
export type Dialect = {
  name: DialectName;

  /** Reads what relaying needs of a parsed body. Wrong types count as absent. */
  readRequest: (body: JsonObject) => RequestSummary;
  /** Reads what routing needs of a parsed body. Wrong types count as absent. */
  readSignals: (body: JsonObject) => RoutingSignals;
  /** Returns the edits of a body before it is sent. */
  toEgressEdits: (summary: RequestSummary, target: EgressTarget) => EgressEdits;
  /**
   * Inserts a preamble after the client's own instructions, and so after the part that a provider's
   * prompt cache may hold. Every other character stays.
   */
  insertPreamble: (source: string, preamble: string) => string;
  /** Classifies a frame of a provider's stream; `parse` reads its data. */
  readFrame: (data: string | undefined, parse?: ParseObject) => Frame;
  /** Returns where a frame that continues a text holds it: most frames differ only there. */
  findText: (value: JsonObject) => Hole | undefined;
  /** Collects what certificates state of an answer in this dialect. */
  createAnswer: () => AnswerGatherer;

  /** Classifies a string, number or key of a parsed body; a key's path ends in itself. */
  toRequestLeaf: (path: LeafPath, body: JsonObject) => RequestLeaf;
  /**
   * Returns the form of a leaf of a whole answer if the model wrote it; undefined for all others.
   */
  findAnswerLeaf: (path: LeafPath, body: JsonObject) => AnswerLeaf | undefined;
  /** The same for the data of a stream's frame. */
  findFrameLeaf: (path: LeafPath, value: JsonObject) => AnswerLeaf | undefined;
  /** Returns whether this frame completes a slot. */
  endsSlot: (value: JsonObject, slot: Slot) => boolean;
  /** Encodes a frame that adds text to a slot, to be sent before the given frame. */
  encodeSlot: (value: JsonObject | undefined, slot: Slot, text: string) => string;

  /**
   * Decodes a client's body. Throws INVALID_REQUEST naming what the neutral form cannot express.
   */
  decodeRequest: (body: JsonObject) => Decoded;
  /** Encodes a neutral call as JSON for a provider. Throws INVALID_REQUEST likewise. */
  encodeRequest: (conversation: Conversation, target: EgressTarget) => Encoded;
  /** Decodes a provider's whole answer. */
  decodeResponse: (body: JsonObject) => DecodedResponse;
  createStreamDecoder: () => StreamDecoder;
  /** Decodes a provider's error; accepts any body. */
  decodeError: (body: JsonObject) => Refusal;
  /** Encodes a whole answer for a client. */
  encodeResponse: (head: AnswerHead, pieces: readonly AnswerPiece[], tail: AnswerTail) => object;
  createStreamEncoder: (head: AnswerHead) => StreamEncoder;
  /** Encodes an error of a provider with another dialect; its status stays (529 stays 529). */
  encodeRefusal: (refusal: Refusal, context: ErrorContext & { status: number }) => object;

  /** Returns the HTTP status and body of one of the gateway's own failures. */
  encodeError: (failure: Failure, context: ErrorContext) => { status: number; body: object };
  /** Returns the frame that ends a stream in failure; no frame may follow it. */
  encodeErrorFrame: (failure: Failure, context: ErrorContext) => string;
};

export type JsonObject = Record<string, unknown>;

/** Returns undefined for a text that is not a JSON object. */
export type ParseObject = (text: string) => JsonObject | undefined;

/** Object keys and array indices from the root to a leaf. */
export type LeafPath = readonly (string | number)[];

/**
 * `text` is prose. `data` belongs to a JSON value of the client's own, whose keys and numbers may
 * be personal data too. `name` names a participant and `filename` a file, each in the form that
 * providers accept. `fixed` must not change: ids, enum values, patterns, routing, names of models
 * and functions. `signed` is fixed and was written by a provider. `media` holds or names bytes that
 * are not text.
 */
export type RequestLeaf = 'text' | 'data' | 'name' | 'filename' | 'fixed' | 'signed' | 'media';

/** A leaf that the model wrote. */
export type AnswerLeaf = {
  /** Plain text, JSON text (arguments of a tool), or a string within a JSON value. */
  form: 'text' | 'json' | 'value';
  /** Where a stream continues the text; absent if the text is complete. */
  slot?: Slot;
};

/** A text that a stream extends: a field of a choice or block, or of a call in it. */
export type Slot = { index: number; field: string; call?: number };

export type RequestSummary = {
  model: string;
  streamed: boolean;
  /** The client asked for the usage chunk of its stream; always true where usage has no chunk. */
  wantsUsage: boolean;
  hasTools: boolean;
  /** Number of answers; each has the whole output limit. */
  choices: number;
  /** Requested output limits by their field names. */
  outputLimits: Readonly<Record<string, number>>;
  /** Names of the sampling parameters that are set. */
  samplingNames: readonly string[];
  /** Empty: the model's default. */
  reasoningEffort: string;
  /** Token budget for thinking, which must stay below the output limit (messages only). */
  thinkingBudget?: number;
};

/** Input of `service-auto`. Lengths are UTF-16 units of text without media. */
export type RoutingSignals = {
  /** Text of the first user turn, which identifies the conversation. */
  openingText: string;
  /** Text of the last user turn with text; turns of tool results have none. */
  lastUserText: string;
  /** Text of all system instructions. */
  systemText: string;
  /** Length of instructions, turns and tool declarations. */
  promptLength: number;
  /** Number of user turns with text. */
  userTurns: number;
  toolCount: number;
  /** The last turn has tool results: the model is in a tool loop. */
  hasOpenToolCalls: boolean;
  /** An assistant turn has reasoning that its provider signed. */
  hasSignedReasoning: boolean;
  /** Reasoning or extended thinking is requested. */
  wantsReasoning: boolean;
  /** A JSON answer is requested. */
  wantsJson: boolean;
  hasMedia: boolean;
};

export type EgressTarget = {
  model: string;
  /** Larger limits are clamped; also the default where a limit is required. */
  maxOutputTokens: number;
  /** Calls without a limit get one. */
  isLimited?: boolean;
};

/**
 * `done` ends the stream, `error` aborts it, `usage` has only token counts, `content` opens the
 * answer, `lifecycle` does not. `value` is the parsed data if it is an object.
 */
export type Frame = {
  kind: 'done' | 'error' | 'usage' | 'content' | 'lifecycle';
  value?: JsonObject;
};

/**
 * Edits of a body that stays in its dialect. `dropped` names fields that the chosen model refuses;
 * `outputTokens` is the output limit that is sent, undefined if none.
 */
export type EgressEdits = {
  edits: MemberEdits;
  dropped: readonly string[];
  outputTokens: number | undefined;
};

/** `dropped` names optional fields that the other dialect cannot express. */
export type Decoded = { conversation: Conversation; dropped: string[] };
/** `outputTokens` is the output limit in the body; undefined if none. */
export type Encoded = { body: string; dropped: string[]; outputTokens: number | undefined };

/** A piece of a neutral answer: see `witan.llm.v1.AnswerPart`. */
export type AnswerPiece = Exclude<
  NonNullable<MessageInitShape<typeof AnswerPartSchema>['part']>,
  { case: undefined }
>;

/** `stopSequence` is the one that ended the answer; empty if none or unknown. */
export type DecodedResponse = { pieces: AnswerPiece[]; stopSequence: string };

/** Decodes frames of a provider's stream into ordered pieces; calls never overlap. */
export type StreamDecoder = {
  /** Takes the parsed data of one frame. */
  push: (value: JsonObject) => AnswerPiece[];
  /** Returns the buffered pieces after the provider has ended. */
  end: () => AnswerPiece[];
  /** Buffered UTF-16 units plus 64 per piece or call, to bound memory. */
  readonly bufferedSize: number;
  /** The stop sequence that ended the answer; empty if none or unknown. */
  readonly stopSequence: string;
};

/** What is known of an answer before its first piece. */
export type AnswerHead = {
  /** Without the dialect's prefix; unique per answer. */
  id: string;
  model: string;
  /** Unix seconds. */
  created: number;
  promptTokensEstimate: number;
  /** The client asked for usage in its stream. */
  wantsUsage: boolean;
};

/** What is known of an answer after its end. */
export type AnswerTail = {
  finishReason: FinishReason;
  usage: Omit<Usage, '$typeName' | '$unknown'>;
  stopSequence: string;
};

/** Encodes frames of a client's stream. */
export type StreamEncoder = {
  /** Before the first piece. */
  open: () => string;
  piece: (piece: AnswerPiece) => string;
  /** Ends open blocks and the stream. */
  end: (tail: AnswerTail) => string;
};

/** A provider's error. Empty texts are unknown. */
export type Refusal = { message: string; code: string; param: string };

export type Failure = Pick<ServiceError, 'reason' | 'message' | 'fields'>;
export type ErrorContext = { requestId: string };
