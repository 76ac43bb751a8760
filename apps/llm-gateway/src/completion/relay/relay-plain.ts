import { ServiceError } from '@witan/contracts';
import { createNeutralAnswerCollector, DIALECTS, preserveLongNumbers } from '@witan/dialects';
import type { JsonObject } from '@witan/dialects';
import type { AnswerGatherer, FinishReason } from '@witan/proof';
import { readBody } from '../../provider/provider.ts';
import type { AnsweredAttempt, AnswerForm, BrokenAttempt, SentAttempt } from '../attempt.ts';
import type { CompletionEvent } from '../completion.ts';
import { toAnswered, toBroken, openedEvent, providerMsOf, wireEvent } from './end-relay.ts';
import type { Delivered } from './end-relay.ts';
import { createPieceNormalizer, toDelivered, toPartEvent } from './neutral-answer.ts';
import { restoreBody } from './restore-body.ts';
import type { ParsedBody } from './restore-body.ts';

export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Reads a non-streamed answer and restores masked values in it. If the provider's dialect is not
 * the client's, it is decoded to neutral pieces. It is delivered only as a whole, so after a
 * failure the client has received nothing.
 */
export const relayPlain = async (sent: SentAttempt): Promise<AnsweredAttempt | BrokenAttempt> => {
  let providerMs = 0;
  try {
    const received = await readBody(sent.answer, ANSWER_BYTES_MAX).finally(() => {
      providerMs = providerMsOf(sent);
    });
    const { delivered, events, ...end } = readAnswer(sent.form, restoreBody(sent.form, received));
    const opened = openedEvent(sent, { streamed: false, providerMs });
    return toAnswered(sent, delivered, { ...end, last: [opened, ...events] });
  } catch (error) {
    return toBroken(sent, { error, providerMs });
  }
};

type PlainAnswer = {
  delivered: Delivered;
  finishReason: FinishReason;
  stopSequence: string;
  events: CompletionEvent[];
};

const readAnswer = (form: AnswerForm, { bytes, value }: ParsedBody): PlainAnswer => {
  if (!value) throw invalidAnswer('answered with what is no JSON');
  const answerGatherer = DIALECTS[form.dialect].createAnswer();
  answerGatherer.body(value);
  const finishReason = finishReasonOf(answerGatherer);
  return form.isNeutral
    ? {
        finishReason,
        ...translate(form, answerGatherer, preserveLongNumbers(bytes.toString(), value)),
      }
    : { finishReason, delivered: answerGatherer, stopSequence: '', events: [wireEvent(bytes)] };
};

const translate = (
  { dialect, client }: AnswerForm,
  answerGatherer: AnswerGatherer,
  value: JsonObject,
): Omit<PlainAnswer, 'finishReason'> => {
  // The neutral form cannot express a successful response without an answer.
  if (finishReasonOf(answerGatherer) === 'error') throw invalidAnswer('answered without an answer');
  const decoded = DIALECTS[dialect].decodeResponse(value);
  const normalizer = createPieceNormalizer();
  const pieces = [...normalizer.normalize(decoded.pieces), ...normalizer.end()];
  const neutral = createNeutralAnswerCollector(client);
  neutral.take(pieces);
  return {
    delivered: toDelivered(neutral, answerGatherer),
    stopSequence: decoded.stopSequence,
    events: pieces.map(toPartEvent),
  };
};

/**
 * Returns the finish reason that the provider reported. If there is none, it is `stop` for an
 * answer with choices and `error` for one without, because some providers send errors with status
 * 200.
 */
const finishReasonOf = (answerGatherer: AnswerGatherer): FinishReason =>
  answerGatherer.finishReason ?? (answerGatherer.choices().length > 0 ? 'stop' : 'error');

const invalidAnswer = (what: string): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', `The model provider ${what}.`);
