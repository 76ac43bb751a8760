import { ServiceError } from '@witan/contracts';
import { DIALECTS } from '@witan/dialects';
import { recordProviderTime, openedEvent, wireEvent } from './opened-event.ts';
import type { Provider, ProviderAnswer } from '../provider/provider.ts';
import { restoreBody } from './relay-plain.ts';
import { parseBody, readBody } from '../provider/read-body.ts';
import type { Attempt } from './attempt.ts';
import type { CompletionEvent } from './completion.ts';
import { endInFailure, PROVIDER_REFUSAL, certifyAnswer } from './certify-ending.ts';

const REFUSAL_BYTES_MAX = 1024 * 1024;

/** Maximum time to drain the body of an error response that is not relayed, in milliseconds. */
const REFUSAL_WAIT_MS = 1_000;

/**
 * Relays a provider's error response with its status and retry advice: byte for byte, or in the
 * neutral form if the provider's dialect is not the client's. Errors about our credentials and
 * bodies that are not errors of the dialect are replaced, and account identifiers are removed. The
 * certificate is written first.
 */
export async function* relayRefusal(
  attempt: Attempt,
  answer: ProviderAnswer,
): AsyncGenerator<CompletionEvent> {
  let body: Buffer;
  try {
    body = await readBody(answer, REFUSAL_BYTES_MAX).finally(() => recordProviderTime(attempt));
    // Redacts account identifiers before masked values are restored, because redaction would also
    // remove a client's own identifiers.
    body = restoreBody(attempt, redactBody(attempt.provider, body));
    const failure = toOwnFailure(answer.status, body);
    if (failure) throw failure;
  } catch (error) {
    throw await endInFailure(attempt, PROVIDER_REFUSAL, error);
  }
  const completed = await certifyAnswer(attempt, PROVIDER_REFUSAL, { finishReason: 'error' });
  yield openedEvent(attempt, answer, false);
  if (attempt.egress.isNeutral) {
    const value = DIALECTS[attempt.provider.dialect].decodeError(parseBody(body)!);
    yield { event: { case: 'refused', value } };
  } else yield wireEvent(body);
  yield completed;
}

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
 * For status 429 and 5xx, after which the next target is tried, certifies the refusal and throws
 * it. Returns for refusals of the request or of our credentials, which are relayed to the client.
 */
export const throwRetryableRefusal = async (
  attempt: Attempt,
  answer: ProviderAnswer,
): Promise<void> => {
  const { status } = answer;
  if (status !== 429 && status < 500) return;
  const retryAfter = answer.headers['retry-after'];
  const refusalError = new ServiceError(
    status === 429 ? 'RATE_LIMITED' : 'PROVIDER_UNREACHABLE',
    `The model provider answered with status ${status}.`,
    { fields: retryAfter ? { retryAfter } : {} },
  );
  // Drains the body so that the connection can be reused, but only briefly, because the next target
  // is tried only afterwards.
  const timer = setTimeout(() => attempt.abandonController.abort(refusalError), REFUSAL_WAIT_MS);
  await readBody(answer, REFUSAL_BYTES_MAX).catch(() => {});
  clearTimeout(timer);
  recordProviderTime(attempt);
  throw await endInFailure(attempt, PROVIDER_REFUSAL, refusalError);
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
