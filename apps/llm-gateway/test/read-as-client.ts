import { createSseSplitter } from '@witan/proof';
import type { AnswerChoice, FinishReason } from '@witan/proof';
import type { AnswerHead, AnswerPiece, AnswerTail, Dialect } from '@witan/dialects';
import type { CompletionEvent } from '../src/completion/rpc/completions.ts';

export type ClientAnswer = { text: string; choices: AnswerChoice[] };

/**
 * Encodes a completion's events as the api-gateway does, and gathers the answer as a client would
 * to verify its certificate.
 */
export const readAsClient = (
  dialect: Dialect,
  events: readonly CompletionEvent[],
  streamed: boolean,
): ClientAnswer => {
  const text = isNeutral(events) ? encode(dialect, events, streamed) : wireText(events);
  const gathered = dialect.createAnswer();
  if (!streamed) gathered.body(JSON.parse(text));
  else {
    for (const { data } of createSseSplitter().push(Buffer.from(text))) {
      const { value } = dialect.readFrame(data);
      if (value) gathered.chunk(value);
    }
  }
  return { text, choices: gathered.choices() };
};

const isNeutral = (events: readonly CompletionEvent[]): boolean =>
  findEvent(events, 'opened').neutral === true;

export const wireText = (events: readonly CompletionEvent[]): string =>
  Buffer.concat(
    events.flatMap(({ event }) => (event?.case === 'wire' ? [event.value] : [])),
  ).toString();

export const kindsOf = (events: readonly CompletionEvent[]): string => {
  const kinds = events.map(({ event }) => event?.case);
  return kinds.filter((kind, index) => kind !== kinds[index - 1]).join(' ');
};

export const piecesOf = (events: readonly CompletionEvent[]): AnswerPiece[] =>
  events.flatMap(({ event }) => (event?.case === 'part' ? [event.value.part as AnswerPiece] : []));

type EventCase = NonNullable<CompletionEvent['event']>['case'];
type EventValue<Case> = Extract<CompletionEvent['event'], { case: Case }>['value'];

/** Returns the only event of a kind. Throws if there is none, or more than one. */
export const findEvent = <Case extends EventCase>(
  events: readonly CompletionEvent[],
  kind: Case,
): EventValue<Case> => {
  const [found, ...more] = events.filter(({ event }) => event?.case === kind);
  if (!found || more.length > 0) throw new Error(`Expected exactly one event "${kind}".`);
  return found.event!.value as EventValue<Case>;
};

const encode = (
  dialect: Dialect,
  events: readonly CompletionEvent[],
  streamed: boolean,
): string => {
  const openedEvent = findEvent(events, 'opened');
  const completed = findEvent(events, 'completed');
  const head: AnswerHead = {
    id: 'x',
    model: openedEvent.model ?? '',
    created: 0,
    promptTokensEstimate: openedEvent.promptTokensEstimate ?? 0,
    wantsUsage: true,
  };
  const tail: AnswerTail = {
    finishReason: completed.finishReason as FinishReason,
    usage: completed.usage as AnswerTail['usage'],
    stopSequence: completed.stopSequence ?? '',
  };
  const pieces = piecesOf(events);
  if (!streamed) return JSON.stringify(dialect.encodeResponse(head, pieces, tail));
  const encoder = dialect.createStreamEncoder(head);
  return [encoder.open(), ...pieces.map(encoder.piece), encoder.end(tail)].join('');
};
