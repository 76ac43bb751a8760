import type { Usage } from '@witan/contracts';
import type { AnswerChoice, FinishReason, RoutingReason } from '@witan/proof';
import type { EgressPii, MaskedBody } from '../masking/mask-body.ts';
import type { CallOutcome } from '../provider/circuit-breaker.ts';
import type { Provider, ProviderAnswer, Target } from '../provider/provider.ts';
import type { CompletionEvent, EndedAttempt } from './completion.ts';
import type { TokenNeed } from './estimate-tokens.ts';
import type { Failure } from './outcome.ts';
import type { CallSummary } from './plan-call.ts';
import type { Egress } from './prepare-egress.ts';

/** The content of an attempt's certificate that is known before egress. */
export type Intent = {
  /** Id of the reservation, and of the certificate of an attempt that a fallback follows. */
  proofId: string;
  call: CallSummary;
  target: Target;
  egress: { sha256: string; pii: EgressPii };
  reason: RoutingReason;
};

/**
 * Returns the id of the certificate that ends the call, as announced to the client: the attempt's
 * own, unless a service announced another.
 */
export const endIdOf = ({ proofId, call }: Pick<Intent, 'proofId' | 'call'>): string =>
  call.announcedId || proofId;

/** The content of a certificate that the end of the attempt decides. */
export type Ending = {
  choices: AnswerChoice[];
  finishReason: FinishReason;
  usage: Omit<Usage, '$typeName' | '$unknown'>;
};

export type AttemptPosition = {
  target: Target;
  proofId: string;
  /** Index of the target in the route. */
  index: number;
  /** True if no fallback follows, so that the client receives the result of this attempt. */
  isLast: boolean;
  /** Time spent on the providers of earlier attempts. */
  earlierMs: number;
};

/**
 * The states of an attempt: planned, reserved, sent, then answered or broken until its certificate
 * ends it. Each state holds only what later ones need, so that a sent body is unreachable: an
 * answer may stream for minutes, and a body of 1 MB occupies 4 MB in all its forms.
 *
 * Planned: the bytes are built, and the circuit breaker admitted the attempt.
 */
export type PlannedAttempt = {
  state: 'planned';
  position: AttemptPosition;
  intent: Intent;
  provider: Provider;
  egress: Egress;
  need: TokenNeed;
  headers: Readonly<Record<string, string>>;
  query: string;
  /** Builds the bytes again with an output limit, for fewer tokens than the attempt needs. */
  limitOutput: (maxOutputTokens: number) => Promise<Egress>;
  /** Reports to the circuit breaker; only the first call has an effect. */
  settle: (outcome: CallOutcome) => void;
};

/** The intent is durable. */
export type ReservedAttempt = Omit<PlannedAttempt, 'state' | 'need' | 'limitOutput'> & {
  state: 'reserved';
};

/** The provider responded with a status. */
export type SentAttempt = {
  state: 'sent';
  position: AttemptPosition;
  intent: Intent;
  form: AnswerForm;
  answer: ProviderAnswer;
  /** `performance.now()` when the request was sent. */
  sentAt: number;
  /** Aborts when the client disconnects. */
  client: AbortSignal;
  /** Stops reading the response. */
  abandon: (reason: unknown) => void;
};

/** How the provider's response becomes the client's. */
export type AnswerForm = Pick<Provider, 'dialect' | 'redactError'> &
  Pick<CallSummary, 'client' | 'wantsJson' | 'wantsUsage'> &
  Pick<Egress, 'isNeutral' | 'dropped'> &
  Pick<MaskedBody, 'restorer'>;

/** The provider finished; the certificate is not written, and `last` not yet sent. */
export type AnsweredAttempt = {
  state: 'answered';
  intent: Intent;
  report: EndedAttempt;
  ending: Ending;
  stopSequence: string;
  /** Events that the client receives only once the certificate is durable. */
  last: readonly CompletionEvent[];
  /** False for an answer with tool calls, which is not final for the client, and for a refusal. */
  isEditable: boolean;
};

/** The attempt has no answer, or part of one; the certificate is not written. */
export type BrokenAttempt = {
  state: 'broken';
  intent: Intent;
  report: EndedAttempt;
  ending: Ending;
  failure: Failure;
  /** Time spent on this provider until the failure or the first content. */
  providerMs: number;
};
