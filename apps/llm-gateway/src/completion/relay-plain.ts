import { ServiceError } from '@witan/contracts';
import { createNeutralAnswer, DIALECTS, preserveLongNumbers } from '@witan/dialects';
import type { AnswerPiece } from '@witan/dialects';
import type { AnswerGatherer, FinishReason } from '@witan/proof';
import { recordProviderTime, openedEvent, wireEvent } from './opened-event.ts';
import { restoreAnswer } from '../masking/restore-answer.ts';
import { createRestoreContext } from '../masking/restore-text.ts';
import { endAnswer } from './end-answer.ts';
import { createPieceNormalizer } from './normalize-pieces.ts';
import { toDelivered, toPartEvent } from './neutral-answer.ts';
import type { PlannedCall } from './plan-call.ts';
import type { ProviderAnswer } from '../provider/provider.ts';
import { parseBody, readBody } from '../provider/read-body.ts';
import type { Attempt } from './attempt.ts';
import type { CompletionEvent } from './completion.ts';
import { endInFailure } from './certify-ending.ts';

export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Relays a non-streamed answer once its certificate is durable: byte for byte, or in neutral pieces
 * if the provider's dialect is not the client's.
 */
export async function* relayPlain(
  attempt: Attempt,
  answer: ProviderAnswer,
): AsyncGenerator<CompletionEvent> {
  const dialect = DIALECTS[attempt.provider.dialect];
  const answerGatherer = dialect.createAnswer();
  const neutral = attempt.egress.isNeutral
    ? createNeutralAnswer(clientFormatOf(attempt))
    : undefined;
  const delivered = neutral ? toDelivered(neutral, answerGatherer) : answerGatherer;
  let body: Buffer;
  let pieces: AnswerPiece[] = [];
  let stopSequence = '';
  try {
    body = await readBody(answer, ANSWER_BYTES_MAX).finally(() => recordProviderTime(attempt));
    body = restoreBody(attempt, body);
    const parsed = parseBody(body);
    if (!parsed) throw notJson();
    answerGatherer.body(parsed);
    // The neutral form cannot express a response with status 200 and no answer.
    if (neutral && finishReasonOf(answerGatherer) === 'error') throw noAnswer();
    if (neutral) {
      const exactJson = preserveLongNumbers(body.toString(), parsed);
      const decoded = dialect.decodeResponse(exactJson);
      const normalizer = createPieceNormalizer();
      pieces = [...normalizer.normalize(decoded.pieces), ...normalizer.end()];
      ({ stopSequence } = decoded);
      neutral.take(pieces);
    }
  } catch (error) {
    // A non-streamed answer is delivered only as a whole, so the client has received nothing yet.
    throw await endInFailure(attempt, undefined, error);
  }
  const finishReason = finishReasonOf(answerGatherer);
  yield* endAnswer(attempt, delivered, { finishReason, stopSequence }, () => [
    openedEvent(attempt, answer, false),
    ...(neutral ? pieces.map(toPartEvent) : [wireEvent(body)]),
  ]);
}

export const restoreBody = (
  {
    egress,
    call,
    provider,
  }: Pick<Attempt, 'egress' | 'provider'> & { call: Pick<PlannedCall, 'wantsJson'> },
  body: Buffer,
): Buffer => {
  const parsed = egress.restorer && parseBody(body);
  if (!egress.restorer || !parsed) return body;
  const restoreContext = createRestoreContext(egress.restorer, call.wantsJson);
  const text = body.toString();
  const restored = restoreAnswer(text, parsed, {
    dialect: DIALECTS[provider.dialect],
    ...restoreContext,
  });
  return restored === text ? body : Buffer.from(restored);
};

/**
 * Returns the finish reason of an answer; `error` for one without choices, because some providers
 * send errors with status 200.
 */
const finishReasonOf = (answerGatherer: AnswerGatherer): FinishReason =>
  answerGatherer.finishReason ?? (answerGatherer.choices().length > 0 ? 'stop' : 'error');

export const clientFormatOf = ({ call }: Pick<Attempt, 'call'>) =>
  call.input.form === 'wire' ? call.input.dialect.name : 'neutral';

const noAnswer = (): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', 'The model provider answered without an answer.');

const notJson = (): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', 'The model provider answered with what is no JSON.');
