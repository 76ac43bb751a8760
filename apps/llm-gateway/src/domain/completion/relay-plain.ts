import { ServiceError } from '@witan/contracts';
import { createChatAnswer } from '@witan/proof';
import { openedEvent, wireEvent } from './opened-event.ts';
import type { ProviderAnswer } from './ports.ts';
import { parseObject, readBody } from './read-body.ts';
import type { CompletionEvent } from './run-completion.ts';
import { endInFailure, sealAnswer } from './seal-ending.ts';
import type { Run } from './seal-ending.ts';

/** Largest plain answer, in bytes. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** Passes a plain answer byte for byte, once its certificate is durable. */
export async function* relayPlain(
  run: Run,
  answer: ProviderAnswer,
): AsyncGenerator<CompletionEvent> {
  const gathered = createChatAnswer();
  let body: Buffer;
  try {
    body = await readBody(answer, ANSWER_BYTES_MAX);
    const parsed = parseObject(body);
    if (!parsed) throw notJson();
    gathered.body(parsed);
  } catch (error) {
    throw await endInFailure(run, gathered, error);
  }
  // An answer without choices is an error in disguise (some providers send those with status 200).
  const ended = gathered.choices().length > 0 ? 'stop' : 'error';
  const completed = await sealAnswer(run, gathered, gathered.finishReason ?? ended);
  yield openedEvent(run, answer, false);
  yield wireEvent(body);
  yield completed;
}

const notJson = (): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', 'The model provider answered with what is no JSON.');
