import type { AnswerChoice } from '@witan/proof';
import type { Attempt } from './run-attempt.ts';
import type { CompletionEvent } from './run-completion.ts';
import { endUndelivered, holdsToolCalls, certifyAnswer, toEnding } from './certify-ending.ts';
import type { AnswerEnd, Delivered } from './certify-ending.ts';

/**
 * Ends an answer of which its provider has said everything: its certificate is durable, then comes
 * what was kept back of it. For a caller that edits answers it is the other way round: all of it
 * comes, then the certificate waits to hear what was delivered. Answers that hold tool calls are
 * none that a caller could edit, for they are not its client's yet.
 */
export async function* endAnswer(
  attempt: Attempt,
  delivered: Delivered,
  end: AnswerEnd,
  last: () => readonly CompletionEvent[],
): AsyncGenerator<CompletionEvent> {
  const { awaitDeliveredText } = attempt.caller;
  if (!awaitDeliveredText || holdsToolCalls(delivered.choices())) {
    const completed = await certifyAnswer(attempt, delivered, end);
    yield* last();
    yield completed;
    return;
  }
  attempt.noteEnd(toEnding(attempt.intent.call.promptTokens, delivered, end.finishReason));
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

/** A relay's words are getters, which a spread would pass by. */
const pickEnd = ({ finishReason, stopSequence }: AnswerEnd): AnswerEnd => ({
  finishReason,
  stopSequence,
});
