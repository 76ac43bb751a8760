import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AnswerPartSchema, Conversation, ServiceError, Usage } from '@witan/contracts';
import type { AnswerGatherer, FinishReason } from '@witan/proof';
import type { Hole } from './json/create-template-parser.ts';
import type { MemberEdits } from './json/edit-members.ts';

export const DIALECT_NAMES = ['chat-completions', 'messages'] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/**
 * One wire dialect as pure functions. The first group of functions serves calls that stay in their
 * dialect, of which only a few members are edited; the second group converts calls between dialects
 * through the neutral form of `witan.llm.v1`.
 */
export type Dialect = {
  name: DialectName;

  /** Reads the members that relaying needs. Members of a wrong type count as absent. */
  readRequest: (body: JsonObject) => RequestSummary;
  /** Reads the members that routing needs. Members of a wrong type count as absent. */
  readSignals: (body: JsonObject) => RoutingSignals;
  toEgressEdits: (summary: RequestSummary, target: EgressTarget) => EgressEdits;
  /**
   * Inserts a preamble after the client's own instructions, so that a prompt cache still matches
   * them. Every other character is unchanged.
   */
  insertPreamble: (source: string, preamble: string) => string;
  /** Classifies a frame of a provider's stream. `parse` parses its data. */
  readFrame: (data: string | undefined, parse?: ParseObject) => Frame;
  findText: (value: JsonObject) => Hole | undefined;
  /** Collects the content of an answer that its certificate commits to. */
  createAnswer: () => AnswerGatherer;

  /** Classifies a string, number or key of a parsed body. The path of a key ends with the key. */
  toRequestLeaf: (path: LeafPath, body: JsonObject) => RequestLeaf;
  /** Returns the form of a leaf of a complete answer if the model wrote it, else undefined. */
  findAnswerLeaf: (path: LeafPath, body: JsonObject) => AnswerLeaf | undefined;
  findFrameLeaf: (path: LeafPath, value: JsonObject) => AnswerLeaf | undefined;
  endsSlot: (value: JsonObject, slot: Slot) => boolean;
  /** Encodes a frame that adds text to a slot, to be sent before the given one. */
  encodeSlot: (value: JsonObject | undefined, slot: Slot, text: string) => string;

  /**
   * Decodes a client's body. Throws INVALID_REQUEST with the path of a field that the neutral form
   * cannot express.
   */
  decodeRequest: (body: JsonObject) => Decoded;
  /**
   * Encodes a neutral call as JSON for a provider. Throws INVALID_REQUEST with the path of a field
   * that the dialect cannot express.
   */
  encodeRequest: (conversation: Conversation, target: EgressTarget) => Encoded;
  decodeResponse: (body: JsonObject) => DecodedResponse;
  createStreamDecoder: () => StreamDecoder;
  /** Decodes a provider's error. Accepts any body. */
  decodeError: (body: JsonObject) => Refusal;
  encodeResponse: (head: AnswerHead, pieces: readonly AnswerPiece[], tail: AnswerTail) => object;
  createStreamEncoder: (head: AnswerHead) => StreamEncoder;
  /** Encodes an error of a provider with another dialect. Its status is unchanged, even 529. */
  encodeRefusal: (refusal: Refusal, context: ErrorContext & { status: number }) => object;

  encodeError: (failure: Failure, context: ErrorContext) => { status: number; body: object };
  encodeErrorFrame: (failure: Failure, context: ErrorContext) => string;
};

export type JsonObject = Record<string, unknown>;

export type ParseObject = (text: string) => JsonObject | undefined;

export type LeafPath = readonly (string | number)[];

/**
 * `text` is prose. `data` is part of an arbitrary JSON value of the client, whose keys and numbers
 * may be personal data too. `name` is the name of a participant and `filename` that of a file, each
 * in the form that providers accept. `fixed` must not change: ids, enum values, patterns, routing,
 * names of models and functions. `signed` is fixed and was written by a provider. `media` contains
 * or references bytes that are not text.
 */
export type RequestLeaf = 'text' | 'data' | 'name' | 'filename' | 'fixed' | 'signed' | 'media';

export type AnswerLeaf = {
  /** Plain text, JSON text (tool arguments), or a string within a JSON value. */
  form: 'text' | 'json' | 'value';
  /** Slot in which a stream continues the text; absent if the text is complete. */
  slot?: Slot;
};

/** A text that a stream extends: a field of a choice or block, or of a tool call in it. */
export type Slot = { index: number; field: string; call?: number };

export type RequestSummary = {
  model: string;
  streamed: boolean;
  /** True if the client requested the usage chunk, and always in a dialect without such a chunk. */
  wantsUsage: boolean;
  hasTools: boolean;
  choices: number;
  outputLimits: Readonly<Record<string, number>>;
  samplingNames: readonly string[];
  /** Requested reasoning effort; empty for the model's default. */
  reasoningEffort: string;
  /**
   * Token budget for thinking, which must be below the output limit. Only in the messages dialect.
   */
  thinkingBudget?: number;
};

/** Input of `service-auto` routing. Lengths are in UTF-16 units and exclude media. */
export type RoutingSignals = {
  openingText: string;
  lastUserText: string;
  systemText: string;
  promptLength: number;
  userTurns: number;
  toolCount: number;
  /** True if the last turn has tool results, which means that the model is in a tool loop. */
  hasOpenToolCalls: boolean;
  /** True if an assistant turn has reasoning with a provider signature. */
  hasSignedReasoning: boolean;
  wantsReasoning: boolean;
  wantsJson: boolean;
  hasMedia: boolean;
};

export type EgressTarget = {
  model: string;
  /** Maximum output limit; also the default where a limit is required. */
  maxOutputTokens: number;
  /** If true, a call without a limit gets `maxOutputTokens`. */
  isLimited?: boolean;
};

/**
 * Frame of a stream. `done` ends the stream, `error` aborts it, `usage` has only token counts,
 * `content` starts the answer, and `lifecycle` does not start it. `value` is the parsed data if it
 * is an object.
 */
export type Frame = {
  kind: 'done' | 'error' | 'usage' | 'content' | 'lifecycle';
  value?: JsonObject;
};

/**
 * Edits of a body that stays in its dialect. `dropped` names the fields that the chosen model
 * refuses. `outputTokens` is the output limit to send; undefined if none.
 */
export type EgressEdits = {
  edits: MemberEdits;
  dropped: readonly string[];
  outputTokens: number | undefined;
};

export type Decoded = { conversation: Conversation; dropped: string[] };
export type Encoded = { body: string; dropped: string[]; outputTokens: number | undefined };

export type AnswerPiece = Exclude<
  NonNullable<MessageInitShape<typeof AnswerPartSchema>['part']>,
  { case: undefined }
>;

export type DecodedResponse = { pieces: AnswerPiece[]; stopSequence: string };

/** Decodes frames of a provider's stream into ordered pieces. Tool calls never overlap. */
export type StreamDecoder = {
  push: (value: JsonObject) => AnswerPiece[];
  end: () => AnswerPiece[];
  /** Number of buffered UTF-16 units plus 64 per piece or call; used to limit memory. */
  readonly bufferedSize: number;
  readonly stopSequence: string;
};

export type AnswerHead = {
  /** Id of the answer, without the dialect's prefix. */
  id: string;
  model: string;
  /** Unix time in seconds. */
  created: number;
  promptTokensEstimate: number;
  wantsUsage: boolean;
};

export type AnswerTail = {
  finishReason: FinishReason;
  usage: Omit<Usage, '$typeName' | '$unknown'>;
  stopSequence: string;
};

export type StreamEncoder = {
  open: () => string;
  piece: (piece: AnswerPiece) => string;
  end: (tail: AnswerTail) => string;
};

/** A provider's error. Members that the provider did not send are empty. */
export type Refusal = { message: string; code: string; param: string };

export type Failure = Pick<ServiceError, 'reason' | 'message' | 'fields'>;
export type ErrorContext = { requestId: string };
