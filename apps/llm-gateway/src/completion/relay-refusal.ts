import { ServiceError } from '@witan/contracts';
import type { AnswerSink } from '@witan/contracts';
import { ENDPOINTS } from '@witan/dialects';
import { findContextTokens } from '../provider/local-runtime.ts';
import { readBody } from '../provider/provider.ts';
import { refusesSchema } from '../provider/schema-support.ts';
import type { AnsweredAttempt, AnswerForm, BrokenAttempt, SentAttempt } from './attempt.ts';
import { providerMsOf, toBroken, toOpened, toRefused } from './ending.ts';
import { redactBody, restoreBody } from './whole-body.ts';
import type { ParsedBody } from './whole-body.ts';

const REFUSAL_BYTES_MAX = 1024 * 1024;

/** Maximum time to drain the body of an error response that is not relayed, in milliseconds. */
const REFUSAL_WAIT_MS = 1_000;

/**
 * Reads a provider's error response, which is relayed with its status and retry advice, in the
 * neutral form if the provider's dialect is not the client's. Account identifiers are removed, and
 * masked values are restored. A 401 or 403, a redirect, and a body that is no JSON object are
 * replaced by an error of the gateway. An error that refuses the schema of an own call is not
 * relayed, because the call is repeated without it. A 429 or 5xx is not relayed if another target
 * follows in the route.
 */
export const relayRefusal = async (sent: SentAttempt): Promise<AnsweredAttempt | BrokenAttempt> => {
  const { answer, form } = sent;
  const isRetryable = answer.status === 429 || answer.status >= 500;
  if (isRetryable && !sent.position.isLast) return await drainRefusal(sent);
  let providerMs = 0;
  try {
    const received = await readBody(answer.body, REFUSAL_BYTES_MAX).finally(() => {
      providerMs = providerMsOf(sent);
    });
    const plain = normalizeError(sent, received);
    if (form.hasSchema && refusesSchema(answer.status, received)) {
      return toSchemaRefusal(sent, providerMs);
    }
    // Redacts account identifiers before masked values are restored, because redaction would also
    // remove a client's own identifiers.
    const body = restoreBody(form, redactBody(form, plain));
    checkRelayable(answer.status, body);
    return toRefused(sent, {
      opened: toOpened(sent, { streamed: false, providerMs }),
      sendRest: (sink) => sendRefusal(sink, form, body),
      contextTokens: findContextTokens(received),
    });
  } catch (error) {
    return toBroken(sent, { error, providerMs, isRefusal: true });
  }
};

/** Sent -> broken, so that the call is sent once more with the schema as text. */
const toSchemaRefusal = (sent: SentAttempt, providerMs: number): BrokenAttempt => {
  const message = 'The model provider does not accept the JSON Schema of the answer.';
  const error = new ServiceError('PROVIDER_INVALID_ANSWER', message);
  const broken = toBroken(sent, { error, providerMs, isRefusal: true });
  return { ...broken, failure: { ...broken.failure, isFailover: true }, refusesSchema: true };
};

/** Returns an error body in the form of its dialect. */
const normalizeError = ({ form, answer }: SentAttempt, body: Buffer): Buffer => {
  const text = ENDPOINTS[form.dialect].normalizeErrorText?.(body.toString(), answer.status);
  return text === undefined ? body : Buffer.from(text);
};

const sendRefusal = (sink: AnswerSink, form: AnswerForm, { bytes, value }: ParsedBody): void => {
  if (form.isNeutral) sink.refused(ENDPOINTS[form.dialect].decodeError(value!));
  else void sink.bytes(bytes);
};

/**
 * Drains the body so that the connection can be reused, but only briefly, because the next target
 * is tried only afterwards.
 */
const drainRefusal = async (sent: SentAttempt): Promise<BrokenAttempt> => {
  const { status, headers } = sent.answer;
  const error = new ServiceError(
    status === 429 ? 'RATE_LIMITED' : 'PROVIDER_UNREACHABLE',
    `The model provider answered with status ${status}.`,
  );
  const timer = setTimeout(() => sent.answer.body.abort(error), REFUSAL_WAIT_MS);
  await readBody(sent.answer.body, REFUSAL_BYTES_MAX).catch(() => {});
  clearTimeout(timer);
  const broken = toBroken(sent, { error, providerMs: providerMsOf(sent), isRefusal: true });
  const retryAfter = headers['retry-after'];
  return retryAfter ? { ...broken, failure: { ...broken.failure, retryAfter } } : broken;
};

const checkRelayable = (status: number, { value }: ParsedBody): void => {
  if (status === 401 || status === 403) {
    throw new ServiceError(
      'PROVIDER_CREDENTIALS_REFUSED',
      'The model provider refused the credentials that the gateway is configured with.',
    );
  }
  if (status < 400 || !value) {
    throw new ServiceError(
      'PROVIDER_INVALID_ANSWER',
      `The model provider answered status ${status} without an error that can be passed on.`,
    );
  }
};
