import { ServiceError } from '@witan/contracts';
import { DIALECTS } from '@witan/dialects';
import { noteAnswered, openedEvent, wireEvent } from './opened-event.ts';
import type { Provider, ProviderAnswer } from './ports.ts';
import { restoreBody } from './relay-plain.ts';
import { parseBody, readBody } from './read-body.ts';
import type { Attempt } from './run-attempt.ts';
import type { CompletionEvent } from './run-completion.ts';
import { endInFailure, REFUSED, certifyAnswer } from './certify-ending.ts';

/** Largest error body, in bytes. */
const REFUSAL_BYTES_MAX = 1024 * 1024;

/** How long the body of a refusal that nobody reads may take, in milliseconds. */
const REFUSAL_WAIT_MS = 1_000;

/**
 * Passes a provider's own error with its status and retry advice: byte for byte, or in neutral
 * words when the call changed its dialect. Except what is about our credentials and what is no
 * error of the dialect (gateway.md rule 9), and without what names the operator's account.
 * Certified first.
 */
export async function* relayRefusal(
  attempt: Attempt,
  answer: ProviderAnswer,
): AsyncGenerator<CompletionEvent> {
  let body: Buffer;
  try {
    body = await readBody(answer, REFUSAL_BYTES_MAX).finally(() => noteAnswered(attempt));
    // What the client wrote is restored behind it, so that only the account is missing.
    body = restoreBody(attempt, redactBody(attempt.provider, body));
    const failure = toOwnFailure(answer.status, body);
    if (failure) throw failure;
  } catch (error) {
    throw await endInFailure(attempt, REFUSED, error);
  }
  const completed = await certifyAnswer(attempt, REFUSED, { finishReason: 'error' });
  yield openedEvent(attempt, answer, false);
  if (attempt.egress.isNeutral) {
    const value = DIALECTS[attempt.provider.dialect].decodeError(parseBody(body)!);
    yield { event: { case: 'refused', value } };
  } else yield wireEvent(body);
  yield completed;
}

/** An error without what names the operator's account; the very bytes where nothing does. */
export const redactBody = (
  { redactError }: Pick<Provider, 'redactError'>,
  body: Buffer,
): Buffer => {
  if (!redactError) return body;
  const text = body.toString();
  const redacted = redactError(text);
  return redacted === text ? body : Buffer.from(redacted);
};

/**
 * Certifies a refusal that another target may answer better, and throws it. Returns when it is
 * about the request or our credentials: those another provider would refuse too.
 */
export const refuseForAnother = async (attempt: Attempt, answer: ProviderAnswer): Promise<void> => {
  const { status } = answer;
  if (status !== 429 && status < 500) return;
  const retryAfter = answer.headers['retry-after'];
  const refused = new ServiceError(
    status === 429 ? 'RATE_LIMITED' : 'PROVIDER_UNREACHABLE',
    `The model provider answered with status ${status}.`,
    { fields: retryAfter ? { retryAfter } : {} },
  );
  // Read away, so that the connection can serve again, but not for long: the next one waits.
  const timer = setTimeout(() => attempt.giveUp.abort(refused), REFUSAL_WAIT_MS);
  await readBody(answer, REFUSAL_BYTES_MAX).catch(() => {});
  clearTimeout(timer);
  noteAnswered(attempt);
  throw await endInFailure(attempt, REFUSED, refused);
};

const toOwnFailure = (status: number, body: Buffer): ServiceError | undefined => {
  if (status === 401 || status === 403) {
    return new ServiceError(
      'PROVIDER_CREDENTIALS_REFUSED',
      'The model provider refused the credentials that the gateway is configured with.',
    );
  }
  if (status < 400 || !parseBody(body)) {
    return new ServiceError(
      'PROVIDER_INVALID_ANSWER',
      `The model provider answered status ${status} without an error that can be passed on.`,
    );
  }
  return undefined;
};
