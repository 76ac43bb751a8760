import { ServiceError } from '@witan/contracts';
import { openedEvent, wireEvent } from './opened-event.ts';
import type { ProviderAnswer } from './ports.ts';
import { parseObject, readBody } from './read-body.ts';
import type { CompletionEvent } from './run-completion.ts';
import { endInFailure, sealAnswer } from './seal-ending.ts';
import type { Run } from './seal-ending.ts';
import { createChatAnswer } from '@witan/proof';

/** Largest error body, in bytes. */
const REFUSAL_BYTES_MAX = 1024 * 1024;

/**
 * Passes a provider's own error byte for byte, with its status and retry advice; except what is
 * about our credentials and what is no error of the dialect (gateway.md rule 9). Certified first.
 */
export async function* relayRefusal(
  run: Run,
  answer: ProviderAnswer,
): AsyncGenerator<CompletionEvent> {
  let body: Buffer;
  try {
    body = await readBody(answer, REFUSAL_BYTES_MAX);
    const refusal = toOwnFailure(answer.status, body);
    if (refusal) throw refusal;
  } catch (error) {
    throw await endInFailure(run, undefined, error);
  }
  const completed = await sealAnswer(run, createChatAnswer(), 'error');
  yield openedEvent(run, answer, false);
  yield wireEvent(body);
  yield completed;
}

const toOwnFailure = (status: number, body: Buffer): ServiceError | undefined => {
  if (status === 401 || status === 403) {
    return new ServiceError(
      'PROVIDER_CREDENTIALS_REFUSED',
      'The model provider refused the credentials that the gateway is configured with.',
    );
  }
  if (status < 400 || !parseObject(body)) {
    return new ServiceError(
      'PROVIDER_INVALID_ANSWER',
      `The model provider answered status ${status} without an error that can be passed on.`,
    );
  }
  return undefined;
};
