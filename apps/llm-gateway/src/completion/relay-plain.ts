import { ServiceError } from '@witan/contracts';
import type { AnswerSink } from '@witan/contracts';
import {
  createNeutralAnswerCollector,
  encodeVectors,
  ENDPOINTS,
  preserveLongNumbers,
} from '@witan/dialects';
import type { JsonObject } from '@witan/dialects';
import type { AnswerGatherer, FinishReason } from '@witan/proof';
import { ANSWER_BYTES_MAX, bodyOf, readBody } from '../provider/provider.ts';
import type { AnsweredAttempt, AnswerForm, BrokenAttempt, SentAttempt } from './attempt.ts';
import { providerMsOf, toAnswered, toBroken, toOpened } from './ending.ts';
import type { Delivered } from './ending.ts';
import { createPieceNormalizer, toDelivered } from './relay-neutral.ts';
import { relayRefusal } from './relay-refusal.ts';
import { contradictoryAnswer, restoreBody } from './whole-body.ts';
import type { ParsedBody } from './whole-body.ts';

/**
 * Reads a non-streamed answer and restores masked values in it. If the provider's dialect is not
 * the client's, it is decoded to neutral pieces. It is delivered only as a whole, so after a
 * failure the client has received nothing.
 */
export const relayPlain = async (sent: SentAttempt): Promise<AnsweredAttempt | BrokenAttempt> => {
  let providerMs = 0;
  try {
    const received = await readBody(sent.answer.body, ANSWER_BYTES_MAX).finally(() => {
      providerMs = providerMsOf(sent);
    });
    const body = normalizeBody(sent.form, restoreBody(sent.form, received));
    const late = lateErrorStatus(body);
    if (late !== undefined) return await relayRefusal(withStatus(sent, late, received));
    const { delivered, ...end } = readAnswer(sent.form, body);
    const opened = toOpened(sent, { streamed: false, providerMs });
    return toAnswered(sent, delivered, { ...end, opened });
  } catch (error) {
    return toBroken(sent, { error, providerMs });
  }
};

/** Returns the body in the form of its dialect; the same body if it has that form already. */
const normalizeBody = ({ dialect, vectorRequest }: AnswerForm, body: ParsedBody): ParsedBody => {
  const normalizer = ENDPOINTS[dialect].createAnswerNormalizer?.();
  const value =
    body.value && vectorRequest
      ? encodeVectors(body.value, vectorRequest.encoding)
      : body.value && normalizer?.body(body.value);
  if (!value || value === body.value) return body;
  return { bytes: Buffer.from(JSON.stringify(value)), value };
};

/**
 * Returns the status of an error that arrived with status 200, which OpenRouter gives as its code;
 * undefined for an answer, and for an error without such a code, which is relayed as it is.
 */
const lateErrorStatus = ({ value }: ParsedBody): number | undefined => {
  if (value?.error === undefined || value.error === null) return undefined;
  const code = Number((value.error as { code?: unknown }).code);
  return Number.isInteger(code) && code >= 400 && code <= 599 ? code : undefined;
};

const withStatus = (sent: SentAttempt, status: number, body: Buffer): SentAttempt => ({
  ...sent,
  answer: { ...sent.answer, status, body: bodyOf([body]) },
});

type PlainAnswer = {
  delivered: Delivered;
  finishReason: FinishReason;
  stopSequence: string;
  sendRest: (sink: AnswerSink) => void;
};

const readAnswer = (form: AnswerForm, { bytes, value }: ParsedBody): PlainAnswer => {
  if (!value) throw invalidAnswer('answered with what is no JSON');
  const answerGatherer = ENDPOINTS[form.dialect].createAnswer();
  answerGatherer.body(value);
  const { contradiction } = answerGatherer;
  if (contradiction !== undefined) throw contradictoryAnswer(contradiction);
  const finishReason = finishReasonOf(answerGatherer);
  if (form.vectorRequest) assertVectors(answerGatherer, form.vectorRequest.count);
  return form.isNeutral
    ? {
        finishReason,
        ...translate(form, answerGatherer, preserveLongNumbers(bytes.toString(), value)),
      }
    : {
        finishReason,
        delivered: answerGatherer,
        stopSequence: '',
        sendRest: (sink) => void sink.bytes(bytes),
      };
};

/** Throws PROVIDER_INVALID_ANSWER unless there is a vector for each input. */
const assertVectors = ({ vectors }: Delivered, count: number): void => {
  const sent = vectors?.().length ?? 0;
  if (sent !== count) throw invalidAnswer(`sent ${sent} embeddings for ${count} inputs`);
};

const translate = (
  { dialect, client }: AnswerForm,
  answerGatherer: AnswerGatherer,
  value: JsonObject,
): Omit<PlainAnswer, 'finishReason'> => {
  // The neutral form cannot express a successful response without an answer.
  if (finishReasonOf(answerGatherer) === 'error') throw invalidAnswer('answered without an answer');
  const decoded = ENDPOINTS[dialect].decodeResponse(value);
  const normalizer = createPieceNormalizer();
  const pieces = [...normalizer.normalize(decoded.pieces), ...normalizer.end()];
  const neutral = createNeutralAnswerCollector(client);
  neutral.take(pieces);
  return {
    delivered: toDelivered(neutral, answerGatherer),
    stopSequence: decoded.stopSequence,
    sendRest: ({ piece: send }) => pieces.forEach((piece) => void send(piece)),
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
