import type { AnswerOpened, AnswerSink, Usage } from '@witan/contracts';
import type { AnswerPiece, EndpointName, Frame } from '@witan/dialects';
import type { AnswerChoice, FinishReason, RoutingReason } from '@witan/proof';
import type { EgressPii, MaskedBody } from '../masking/mask-request.ts';
import type { ReadFrame } from '../masking/restore.ts';
import type { CallOutcome } from '../provider/circuit-breaker.ts';
import type { Provider, ProviderAnswer, Stop, Target } from '../provider/provider.ts';
import type { EndedAttempt } from './completion.ts';
import type { Failure } from './outcome.ts';
import type { CallSummary, TokenNeed } from './plan.ts';

export type Egress = {
  bytes: Uint8Array;
  sha256: string;
  pii: EgressPii;
  restorer: MaskedBody['restorer'];
  /**
   * True if the body was encoded from the neutral form; the answer is then returned in that form.
   */
  isNeutral: boolean;
  /**
   * Names of optional fields that were left out, because the provider's dialect or the chosen model
   * does not accept them.
   */
  dropped: readonly string[];
  /** True if the body contains the JSON Schema of one of Witan's own calls. */
  hasSchema: boolean;
  /** Output limit in the sent body, including reasoning tokens; undefined if there is none. */
  outputTokens: number | undefined;
};

/** The content of an attempt's certificate that is known before egress. */
export type Intent = {
  /**
   * Id of the reservation and, unless the certificate gets the announced id, of the certificate.
   */
  proofId: string;
  call: CallSummary;
  target: Target;
  egress: { sha256: string; pii: EgressPii };
  reason: RoutingReason;
};

/** The part of a certificate that is known only when the attempt has ended. */
export type Ending = {
  choices: AnswerChoice[];
  /** Only for embeddings: each vector as base64, to which the certificate commits. */
  vectors?: string[] | undefined;
  finishReason: FinishReason;
  usage: Omit<Usage, '$typeName' | '$unknown'>;
  /** Time from sending the request to the end of the answer; absent for a lost call. */
  durationMs?: number;
};

export type AttemptPosition = {
  target: Target;
  proofId: string;
  /** Index of the target in the route. */
  index: number;
  /** True if no fallback follows, so that the client receives the result of this attempt. */
  isLast: boolean;
  /** Milliseconds spent on the providers of earlier attempts. */
  earlierMs: number;
  /** True if the target just refused the JSON Schema of this call. */
  isSchemaRefused: boolean;
};

/**
 * The types below are the states of an attempt, in order: planned, sent, then answered or broken.
 * Each holds only what later states need, so that the request body can be freed once it is sent: an
 * answer may stream for minutes.
 *
 * Planned: the bytes are built, and the circuit breaker admitted the attempt.
 */
export type PlannedAttempt = {
  state: 'planned';
  position: AttemptPosition;
  intent: Intent;
  provider: Provider;
  /** Dialect of the bytes, and of the provider's answer. */
  dialect: EndpointName;
  egress: Egress;
  need: TokenNeed;
  headers: Readonly<Record<string, string>>;
  query: string;
  /**
   * Builds the bytes again with a lower output limit, if fewer tokens are available than needed.
   */
  limitOutput: (maxOutputTokens: number) => Promise<Egress>;
  /** Reports to the circuit breaker; only the first call has an effect. */
  settle: (outcome: CallOutcome) => void;
};

/** Reserved: the ledger has stored the intent. */
export type ReservedAttempt = Omit<PlannedAttempt, 'state' | 'need' | 'limitOutput'> & {
  state: 'reserved';
};

/** Sent: the provider responded with a status. */
export type SentAttempt = {
  state: 'sent';
  position: AttemptPosition;
  intent: Intent;
  form: AnswerForm;
  answer: ProviderAnswer;
  /** `performance.now()` when the request was sent. */
  sentAt: number;
  stop: Stop;
  sink: AnswerSink;
};

/** The properties by which the provider's response is turned into the client's. */
export type AnswerForm = Pick<PlannedAttempt, 'dialect'> &
  Pick<Provider, 'redactError'> &
  Pick<CallSummary, 'client' | 'wantsJson' | 'wantsUsage' | 'vectorRequest'> &
  Pick<Egress, 'isNeutral' | 'hasSchema' | 'dropped'> &
  Pick<MaskedBody, 'restorer'>;

/** Answered: the provider finished, and the certificate is not written yet. */
export type AnsweredAttempt = {
  state: 'answered';
  intent: Intent;
  report: EndedAttempt;
  ending: Ending;
  stopSequence: string;
  /** Absent if the answer is opened already. */
  opened: AnswerOpened | undefined;
  /**
   * Sends the rest of the answer: once the certificate is durable or, for an answer that the caller
   * edits, before that.
   */
  sendRest: (sink: AnswerSink) => void;
  /**
   * False for an answer with tool calls, which is not final for the client, and for a provider's
   * error response.
   */
  isEditable: boolean;
  /** Context window that the provider's error names. */
  contextTokens?: number | undefined;
};

/** Broken: the attempt has no answer or only a part of one. The certificate is not written yet. */
export type BrokenAttempt = {
  state: 'broken';
  intent: Intent;
  report: EndedAttempt;
  ending: Ending;
  failure: Failure;
  /** True if the client received a part, so that no other provider can answer. */
  isOpened: boolean;
  /** True if the provider refused the JSON Schema of the request. */
  refusesSchema?: boolean;
  /** Milliseconds spent on this provider until the failure or the first content. */
  providerMs: number;
};

/** Takes what a client may receive now. */
export type RelayOutput = {
  bytes: (bytes: Uint8Array) => void;
  piece: (piece: AnswerPiece) => void;
};

/** Turns the frames of a stream into what the client receives. */
export type FrameHandler = {
  handleFrame: (kind: Frame['kind'], frame: ReadFrame['frame'], value: Frame['value']) => void;
  /** Passes on what is ready. */
  flush: (output: RelayOutput) => void;
  sendLast: (sink: Pick<AnswerSink, 'bytes' | 'piece'>) => void;
  readonly stopSequence: string;
};
