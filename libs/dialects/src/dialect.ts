import type { AnswerPiece, Conversation, ServiceError, Usage } from '@witan/contracts';
import type { AnswerGatherer, FinishReason } from '@witan/proof';
import type { Hole, MemberEdits } from './json/json-text.ts';
import type { JsonObject, LeafPath, ParseObject } from './json/json-value.ts';

const DIALECT_NAMES = ['chat-completions', 'messages', 'responses'] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/** Name of a wire form of calls: a dialect of conversations, or embeddings. */
export type EndpointName = DialectName | 'embeddings';

/**
 * A wire form of calls. Embeddings have the functions of a dialect too, but no neutral form: those
 * of conversions throw INVALID_REQUEST.
 */
export type Endpoint = Omit<Dialect, 'name'> & {
  name: EndpointName;
  /** Returns the path of a member whose text cannot be read, and so not be masked. */
  findUnreadable?: (body: JsonObject) => string | undefined;
};

/**
 * A wire dialect as pure functions, in four groups: functions for calls whose provider uses the
 * client's dialect, so that only a few members of the body are edited; functions that classify
 * strings of requests and answers, for masking and restoring; conversions between dialects through
 * the neutral form of `witan.llm.v1`; and the gateway's own errors.
 */
export type Dialect = {
  name: DialectName;

  /** Reads the request members that the gateway needs, without validating them. */
  readRequest: (body: JsonObject) => RequestSummary;
  /** Reads the signals that routing needs. Members of a wrong type count as absent. */
  readSignals: (body: JsonObject) => RoutingSignals;
  toEgressEdits: (summary: RequestSummary, target: EgressTarget) => EgressEdits;
  /**
   * Inserts a preamble into the JSON text of a body, after the client's leading instructions, so
   * that a prompt cache still matches those. The rest of the body is unchanged.
   */
  insertPreamble: (source: string, preamble: string) => string;
  /** Bytes after the terminal frame of every stream, which a provider may omit; may be empty. */
  streamEnd: string;
  /** Returns the kind of a frame of a provider's stream. `parse` parses the frame's data. */
  readFrame: (data: string | undefined, parse?: ParseObject) => Frame;
  findTextHole: (value: JsonObject) => Hole | undefined;
  /**
   * Creates a normalizer of one answer, for a dialect whose providers deviate from its contract;
   * absent if they do not.
   */
  createAnswerNormalizer?: () => AnswerNormalizer;
  /**
   * Returns the text of a provider's error in the form of the dialect; undefined if it has that
   * form already, or is no error.
   */
  normalizeErrorText?: (text: string, status: number) => string | undefined;
  /** Creates a collector of the part of an answer that its certificate commits to. */
  createAnswer: () => AnswerGatherer;

  /**
   * Classifies a string, number or key of a parsed request body. For a key, the path ends with the
   * key itself.
   */
  toRequestLeaf: (path: LeafPath, body: JsonObject) => RequestLeaf;
  /**
   * Returns the form of a leaf of a complete answer in which masked values are restored; undefined
   * for leaves that do not change.
   */
  findAnswerLeaf: (path: LeafPath, body: JsonObject) => AnswerLeaf | undefined;
  findFrameLeaf: (path: LeafPath, value: JsonObject) => AnswerLeaf | undefined;
  endsSlot: (value: JsonObject, slot: Slot) => boolean;
  /**
   * Encodes a frame that appends text to a slot. `value` is an earlier frame, whose id and model it
   * may repeat.
   */
  encodeSlot: (value: JsonObject | undefined, slot: Slot, text: string) => string;
  /**
   * Returns the data of a frame with its number in the stream increased, after frames were inserted
   * before it. Absent in a dialect that does not number its frames.
   */
  renumberFrame?: (data: string, value: JsonObject, added: number) => string;

  /**
   * Decodes a client's body into the neutral form. Throws INVALID_REQUEST with the path of a field
   * that is invalid or that the neutral form cannot express.
   */
  decodeRequest: (body: JsonObject) => Decoded;
  /**
   * Encodes a neutral call as JSON for a provider. Throws INVALID_REQUEST with the path of a field
   * that is invalid or that the dialect cannot express.
   */
  encodeRequest: (conversation: Conversation, target: EgressTarget) => Encoded;
  /**
   * Returns the path in this dialect of a field that `encodeRequest` of another dialect names as
   * dropped or invalid.
   */
  nameField: (path: string) => string;
  decodeResponse: (body: JsonObject) => DecodedResponse;
  createStreamDecoder: () => StreamDecoder;
  /** Decodes a provider's error and never throws, whatever the body contains. */
  decodeError: (body: JsonObject) => Refusal;
  encodeResponse: (head: AnswerHead, pieces: readonly AnswerPiece[], tail: AnswerTail) => object;
  createStreamEncoder: (head: AnswerHead) => StreamEncoder;
  /**
   * Encodes the error of a provider that uses another dialect. The client gets the provider's
   * status, even 529.
   */
  encodeRefusal: (refusal: Refusal, context: ErrorContext & { status: number }) => object;

  encodeError: (failure: Failure, context: ErrorContext) => { status: number; body: object };
  /** Encodes the failure of a stream, of which the client received `sent`. */
  encodeErrorFrame: (failure: Failure, context: ErrorContext & { sent?: SentFrames }) => string;
};

/** Returns values in the form of the dialect; the same object if it has that form already. */
export type AnswerNormalizer = {
  /** Returns a list if several chunks, or none, take the place of one. */
  chunk: (chunk: JsonObject) => JsonObject | readonly JsonObject[];
  body: (body: JsonObject) => JsonObject;
};

export type { LeafPath };

/**
 * Kind of a value in a request. `text` is prose. `data` is part of an arbitrary JSON value of the
 * client, whose keys and numbers may be personal data too. `name` is the name of a participant and
 * `filename` that of a file; their replacements must be accepted by providers as such. `fixed` must
 * not change: ids, enum values, patterns, routing, names of models and functions. `signed` must not
 * change, because a provider wrote and signed it. `media` contains or references bytes that are not
 * text.
 */
export type RequestLeaf = 'text' | 'data' | 'name' | 'filename' | 'fixed' | 'signed' | 'media';

export type AnswerLeaf = {
  /** Form of the value: plain text, JSON text (tool arguments), or a leaf of a JSON value. */
  form: 'text' | 'json' | 'value';
  /** Slot to which later frames of the stream append text; absent if the text is complete. */
  slot?: Slot;
};

/**
 * Identifies a text to which the frames of a stream append: a field of a choice or block, or of a
 * tool call in it.
 */
export type Slot = { index: number; field: string; call?: number; itemId?: string };

export type RequestSummary = {
  /** The requested vectors; only for embeddings. */
  vectorRequest?: VectorRequest;
  model: string;
  streamed: boolean;
  /**
   * True if the client requested the usage chunk of a stream; always true in a dialect without such
   * a chunk.
   */
  wantsUsage: boolean;
  choices: number;
  outputLimits: Readonly<Record<string, number>>;
  samplingNames: readonly string[];
  /** Reasoning effort that the client requested; empty for the model's default. */
  reasoningEffort: string;
  /**
   * Token budget for thinking, which must be below the output limit. Exists only in the messages
   * dialect.
   */
  thinkingBudget?: number;
  /**
   * The items of a request that a provider of its dialect can read, if it has others. Exists only
   * in the responses dialect.
   */
  ownItems?: readonly unknown[];
  /** Members of the request that the answer repeats. Exists only in the responses dialect. */
  echo?: JsonObject;
};

export type VectorEncoding = 'float' | 'base64';

/** The vectors that a client requests: one for each input. */
export type VectorRequest = { encoding: VectorEncoding; count: number };

/** Input of routing. Lengths are in UTF-16 units and do not include the data of media. */
export type RoutingSignals = {
  openingText: string;
  lastUserText: string;
  systemText: string;
  promptLength: number;
  userTurns: number;
  toolCount: number;
  /**
   * True if the last turn of the conversation has tool results, so that the model is in the middle
   * of a tool loop.
   */
  hasOpenToolCalls: boolean;
  /** True if an assistant's turn has reasoning that a provider has signed. */
  hasSignedReasoning: boolean;
  /** Dialect of the provider that signed the reasoning; `messages` if absent. */
  signingDialect?: DialectName;
  wantsReasoning: boolean;
  wantsJson: boolean;
  /** Number of images, recordings and documents that are not plain text. */
  mediaCount: number;
};

export type EgressTarget = {
  model: string;
  /**
   * Maximum output limit of a call; also sent if the dialect requires a limit and the client set
   * none, unless the model's own maximum is smaller.
   */
  maxOutputTokens: number;
  /** If true, a chat-completions call without an output limit is sent with `maxOutputTokens`. */
  isLimited?: boolean;
};

/**
 * Frame of a stream. `done` ends the stream, `error` aborts it, `usage` contains only token counts,
 * `content` contains a part of the answer or data of an unknown form, and `lifecycle` is any other
 * frame. `cut` ends the input although the terminal event of the answer is missing. `value` is the
 * parsed data if it is an object.
 */
export type Frame = {
  kind: 'done' | 'error' | 'cut' | 'usage' | 'content' | 'lifecycle';
  value?: JsonObject;
};

/**
 * Edits of a body that stays in its dialect. `dropped` names the fields that were removed because
 * the chosen model refuses them. `outputTokens` is the output limit that is sent, undefined if
 * none.
 */
export type EgressEdits = {
  edits: MemberEdits;
  dropped: readonly string[];
  outputTokens: number | undefined;
};

export type Decoded = { conversation: Conversation; dropped: string[] };
export type Encoded = { body: string; dropped: string[]; outputTokens: number | undefined };

export type { AnswerPiece };

export type DecodedResponse = { pieces: AnswerPiece[]; stopSequence: string };

/**
 * Decodes the frames of a provider's stream into pieces in order. The pieces of two tool calls are
 * never mixed.
 */
export type StreamDecoder = {
  push: (value: JsonObject) => AnswerPiece[];
  end: () => AnswerPiece[];
  /**
   * Size of the buffered pieces, for a memory limit: their UTF-16 units plus 64 for each piece,
   * tool call or block.
   */
  readonly bufferedSize: number;
  readonly stopSequence: string;
};

export type AnswerHead = {
  /** Id of the answer, without the prefix that a dialect adds. */
  id: string;
  model: string;
  /** Creation time in Unix seconds. */
  created: number;
  promptTokensEstimate: number;
  wantsUsage: boolean;
  /** Members of the request that the answer repeats: `RequestSummary.echo`. */
  echo?: JsonObject;
  /** True if the answer will be stored, so that later requests can refer to it. */
  isStored?: boolean;
};

export type AnswerTail = {
  finishReason: FinishReason;
  usage: Omit<Usage, '$typeName' | '$unknown'>;
  stopSequence: string;
  /** Time at which the answer ended, in Unix seconds; its creation time if absent. */
  completed?: number;
  /** True if the answer is stored. */
  isStored?: boolean;
};

export type StreamEncoder = {
  open: () => string;
  piece: (piece: AnswerPiece) => string;
  end: (tail: AnswerTail) => string;
};

/** A provider's error. Members that the provider did not send are empty texts. */
export type Refusal = { message: string; code: string; param: string };

export type Failure = Pick<ServiceError, 'reason' | 'message' | 'fields'>;
export type ErrorContext = { requestId: string };

/** Whole frames that a client received: those written first and those written last. */
export type SentFrames = { first: string; last: string };
