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
 * where only a few members are touched; the second carries calls between dialects by way of the
 * neutral form of `witan.llm.v1`.
 */
export type Dialect = {
  name: DialectName;

  /** What relaying must know of a parsed body. Wrong types count as absent. */
  readRequest: (body: JsonObject) => RequestSummary;
  /** What the router must know of a parsed body; reads it whole. Wrong types count as absent. */
  readSignals: (body: JsonObject) => RoutingSignals;
  /** Edits for a body of the dialect before it leaves; none when nothing must change. */
  toEgressEdits: (summary: RequestSummary, target: EgressTarget) => EgressEdits;
  /**
   * The body's source text with a preamble behind the client's own instructions, and so behind
   * what a provider's prompt cache may hold. Every other character stays.
   */
  insertPreamble: (source: string, preamble: string) => string;
  /** Says what a frame of a provider's stream is; `parse` reads its data. */
  readFrame: (data: string | undefined, parse?: ParseObject) => Frame;
  /** Where the words stand in a frame that says some more: most frames differ in nothing else. */
  findText: (value: JsonObject) => Hole | undefined;
  /** Gathers what certificates say of an answer in this dialect. */
  createAnswer: () => AnswerGatherer;

  /** What a string, number or key of a parsed body is; a key's path ends in itself. */
  toRequestLeaf: (path: LeafPath, body: JsonObject) => RequestLeaf;
  /** A string leaf of a whole answer that the model wrote; undefined: what must stay as it is. */
  findAnswerLeaf: (path: LeafPath, body: JsonObject) => AnswerLeaf | undefined;
  /** The same of the data of a stream's frame. */
  findFrameLeaf: (path: LeafPath, value: JsonObject) => AnswerLeaf | undefined;
  /** Whether nothing is added to a slot behind this frame. */
  endsSlot: (value: JsonObject, slot: Slot) => boolean;
  /** A frame that adds words to a slot; it goes before the frame that is given. */
  encodeSlot: (value: JsonObject | undefined, slot: Slot, text: string) => string;

  /** A client's body in the neutral form. Throws INVALID_REQUEST naming what cannot be said. */
  decodeRequest: (body: JsonObject) => Decoded;
  /** A neutral call as JSON text for a provider. Throws INVALID_REQUEST likewise. */
  encodeRequest: (conversation: Conversation, target: EgressTarget) => Encoded;
  /** A provider's whole answer in pieces. */
  decodeResponse: (body: JsonObject) => DecodedResponse;
  createStreamDecoder: () => StreamDecoder;
  /** A provider's error in neutral words; total, whatever the body holds. */
  decodeError: (body: JsonObject) => Refusal;
  /** A whole answer for a client. */
  encodeResponse: (head: AnswerHead, pieces: readonly AnswerPiece[], tail: AnswerTail) => object;
  createStreamEncoder: (head: AnswerHead) => StreamEncoder;
  /** An error of a provider that spoke another dialect; its status stays (529 stays 529). */
  encodeRefusal: (refusal: Refusal, context: ErrorContext & { status: number }) => object;

  /** HTTP status and body of a failure of ours (gateway.md, error table). */
  encodeError: (failure: Failure, context: ErrorContext) => { status: number; body: object };
  /** The frame that ends a stream in failure; nothing follows it. */
  encodeErrorFrame: (failure: Failure, context: ErrorContext) => string;
};

export type JsonObject = Record<string, unknown>;

/** Answers undefined for a text that holds no JSON object. */
export type ParseObject = (text: string) => JsonObject | undefined;

/** Object keys and array indices from the root to a leaf. */
export type LeafPath = readonly (string | number)[];

/**
 * `text` is prose. `data` belongs to a JSON value of the client's own, whose keys and numbers may
 * be personal data too. `name` names a participant and `filename` a file, each in the form that
 * providers take. `fixed` works only as it is: ids, enum values, patterns, routing, names of models
 * and functions. `sealed` is fixed and written by a provider. `media` holds or names bytes that are
 * no text.
 */
export type RequestLeaf = 'text' | 'data' | 'name' | 'filename' | 'fixed' | 'signed' | 'media';

/** Words of the model. */
export type AnswerLeaf = {
  /** Plain words, JSON text (arguments of a tool), or a string within a JSON value. */
  form: 'text' | 'json' | 'value';
  /** Where a stream's words are added to; absent where they are whole. */
  slot?: Slot;
};

/** A text that grows with a stream: a field of a choice or block, or of a call in it. */
export type Slot = { index: number; field: string; call?: number };

export type RequestSummary = {
  model: string;
  streamed: boolean;
  /** The client asked for the usage chunk of its stream; always true where usage is no chunk. */
  wantsUsage: boolean;
  hasTools: boolean;
  /** Answers that are asked for, each with the whole output limit to itself. */
  choices: number;
  /** Requested output limits by their field names. */
  outputLimits: Readonly<Record<string, number>>;
  /** Names of the sampling parameters that are set. */
  samplingNames: readonly string[];
  /** Empty: the model's own. */
  reasoningEffort: string;
  /** Tokens set aside for thinking, which must stay below the output limit (messages only). */
  thinkingBudget?: number;
};

/** What `service-auto` decides by. Lengths are UTF-16 units of text, media left out. */
export type RoutingSignals = {
  /** Text of the first user turn: it names the conversation. */
  openingText: string;
  /** Text of the last user turn that has words of its own; tool results have none. */
  lastUserText: string;
  /** Text of all system instructions. */
  systemText: string;
  /** Length of everything that is sent: instructions, turns, tool declarations. */
  promptLength: number;
  /** User turns with words of their own. */
  userTurns: number;
  toolCount: number;
  /** The last turn answers tool calls: a loop is under way. */
  hasOpenToolCalls: boolean;
  /** An assistant turn carries reasoning that its provider sealed. */
  hasSignedReasoning: boolean;
  /** Reasoning or extended thinking is asked for. */
  wantsReasoning: boolean;
  /** A JSON answer is asked for. */
  wantsJson: boolean;
  hasMedia: boolean;
};

export type EgressTarget = {
  model: string;
  /** Requested limits above it are clamped; also the default where one is required. */
  maxOutputTokens: number;
  /** A call without a limit gets one. */
  isLimited?: boolean;
};

/**
 * `done` ends the stream, `error` breaks it off, `usage` holds nothing but token counts, `content`
 * is worth opening the answer for, `lifecycle` is not. `value` is the parsed data when it is an
 * object.
 */
export type Frame = {
  kind: 'done' | 'error' | 'usage' | 'content' | 'lifecycle';
  value?: JsonObject;
};

/**
 * Changes of a body that stays in its dialect. `dropped` names fields that the model which was
 * chosen for the call refuses; `outputTokens` is the output limit that leaves, undefined if none.
 */
export type EgressEdits = {
  edits: MemberEdits;
  dropped: readonly string[];
  outputTokens: number | undefined;
};

/** `dropped` names fields that only tune the answer and that the other side cannot say. */
export type Decoded = { conversation: Conversation; dropped: string[] };
/** `outputTokens` is the output limit that the body states; undefined: it states none. */
export type Encoded = { body: string; dropped: string[]; outputTokens: number | undefined };

/** A piece of a neutral answer: see `witan.llm.v1.AnswerPart`. */
export type AnswerPiece = Exclude<
  NonNullable<MessageInitShape<typeof AnswerPartSchema>['part']>,
  { case: undefined }
>;

/** Of an answer; `stopSequence` is the one that ended it, empty when none did or nobody said. */
export type DecodedResponse = { pieces: AnswerPiece[]; stopSequence: string };

/** Turns frames of a provider's stream into pieces in order: calls never overlap. */
export type StreamDecoder = {
  /** Takes the parsed data of one frame. */
  push: (value: JsonObject) => AnswerPiece[];
  /** What was held back for the order's sake; the provider has ended. */
  end: () => AnswerPiece[];
  /**
   * UTF-16 units of pieces and arguments that are held back, and 64 for each of them: a limit on it
   * is a limit on memory.
   */
  readonly bufferedSize: number;
  /** Which stop sequence ended the answer; empty: none, or nobody said. */
  readonly stopSequence: string;
};

/** What is known of an answer before its first piece. */
export type AnswerHead = {
  /** Without the dialect's prefix; unique an answer. */
  id: string;
  model: string;
  /** Unix seconds. */
  created: number;
  promptTokensEstimate: number;
  /** The client asked for usage in its stream. */
  wantsUsage: boolean;
};

/** What is known once it has ended. */
export type AnswerTail = {
  finishReason: FinishReason;
  usage: Omit<Usage, '$typeName' | '$unknown'>;
  stopSequence: string;
};

/** Frames of a client's stream, as text. */
export type StreamEncoder = {
  /** Before the first piece. */
  open: () => string;
  piece: (piece: AnswerPiece) => string;
  /** Closes what is open and ends the stream. */
  end: (tail: AnswerTail) => string;
};

/** Why a provider refused a call. Empty text: it did not say. */
export type Refusal = { message: string; code: string; param: string };

export type Failure = Pick<ServiceError, 'reason' | 'message' | 'fields'>;
export type ErrorContext = { requestId: string };
