import type { AnswerChoice } from '@witan/proof';
import type { Attempt } from './attempt.ts';
import type { CompletionEvent } from './completion.ts';
import { endUndelivered, hasToolCalls, certifyAnswer, toEnding } from './certify-ending.ts';
import type { AnswerEnd, Delivered } from './certify-ending.ts';

/**
 * Ends an answer that its provider has finished: waits until the certificate is durable, then
 * yields the buffered last events. For a caller that edits answers, yields all events first and
 * certifies the text that the caller reports as delivered. Answers with tool calls are not final
 * for the caller's client, so they cannot be edited.
 */
export async function* endAnswer(
  attempt: Attempt,
  delivered: Delivered,
  end: AnswerEnd,
  last: () => readonly CompletionEvent[],
): AsyncGenerator<CompletionEvent> {
  const { awaitDeliveredText } = attempt.caller;
  if (!awaitDeliveredText || hasToolCalls(delivered.choices())) {
    const completed = await certifyAnswer(attempt, delivered, end);
    yield* last();
    yield completed;
    return;
  }
  attempt.reportEnd(toEnding(attempt.intent.call.promptTokens, delivered, end.finishReason));
  yield* last();
  yield endingEvent(attempt, delivered, end);
  let content: string | null;
  try {
    content = await awaitDeliveredText();
  } catch (error) {
    throw await endUndelivered(attempt, delivered, error);
  }
  const choices: AnswerChoice[] = [{ index: 0, content, toolCalls: [] }];
  yield await certifyAnswer(attempt, delivered, { ...pickEnd(end), choices });
}

const endingEvent = (
  { intent }: Attempt,
  delivered: Delivered,
  { finishReason, stopSequence }: AnswerEnd,
): CompletionEvent => {
  const { usage } = toEnding(intent.call.promptTokens, delivered, finishReason);
  return { event: { case: 'ending', value: { finishReason, usage, stopSequence } } };
};

/** Returns only these two members, because `end` may be a whole stream relay. */
const pickEnd = ({ finishReason, stopSequence }: AnswerEnd): AnswerEnd => ({
  finishReason,
  stopSequence,
});
