import { invalidRequest, ServiceError } from '@witan/contracts';
import type { CompleteAsMessage, CompleteRequest } from '@witan/contracts';
import { DELIVERY_TIMEOUT_MS } from './delivery-timeout.ts';
import { runCompletion } from './run-completion.ts';
import type { Caller, CompletionDeps, CompletionEvent } from './run-completion.ts';

type Messages = AsyncIterator<CompleteAsMessage>;

/**
 * A completion for a caller that edits the answer (README, Life of an edited answer): its first
 * message is the request, its second one what it delivered. As `runCompletion` otherwise. Rejects
 * with INVALID_REQUEST for messages out of turn, and DEADLINE_EXCEEDED for a caller that says
 * nothing for 10 s when it is waited for.
 */
export async function* runCompletionAs(
  messages: AsyncIterable<CompleteAsMessage>,
  caller: Omit<Caller, 'hearDelivered'>,
  deps: CompletionDeps,
): AsyncGenerator<CompletionEvent> {
  const incoming = messages[Symbol.asyncIterator]();
  try {
    const request = readRequest(await readNext(incoming, caller.signal));
    const awaitDeliveredText = async (): Promise<string | null> =>
      readDelivered(await readNext(incoming, caller.signal));
    yield* runCompletion(request, { ...caller, awaitDeliveredText }, deps);
  } finally {
    // Not waited for: a caller that has no more to say may not end its side before we do.
    incoming.return?.().catch(() => {});
  }
}

const readRequest = ({ message }: CompleteAsMessage): CompleteRequest => {
  if (message.case !== 'request') {
    throw invalidRequest('The first message of CompleteAs must be the request.');
  }
  if (message.value.input.case !== 'conversation') {
    throw invalidRequest('CompleteAs takes a conversation; send wire bodies to Complete.');
  }
  return message.value;
};

/** Without text there is no content: nobody can tell `""` from null in an answer. */
const readDelivered = ({ message }: CompleteAsMessage): string | null => {
  if (message.case !== 'delivered') {
    throw invalidRequest('Behind the request, CompleteAs is told what was delivered.');
  }
  return message.value.content || null;
};

/** The caller's next message. Rejects as the call ends, or when the caller keeps silent. */
const readNext = async (incoming: Messages, signal: AbortSignal): Promise<CompleteAsMessage> => {
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => stopped.reject(signal.reason);
  const timer = setTimeout(() => stopped.reject(tooLate()), DELIVERY_TIMEOUT_MS);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const next = await Promise.race([incoming.next().catch(throwLeft), stopped.promise]);
    return next.done ? throwLeft() : next.value;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
};

/** Whatever broke the caller's side, or ended it early: nobody waits for the answer any more. */
const throwLeft = (cause?: unknown): never => {
  throw new ServiceError('CANCELLED', 'The caller left before it said what it delivered.', {
    cause,
  });
};

const tooLate = (): ServiceError =>
  new ServiceError(
    'DEADLINE_EXCEEDED',
    `CompleteAs heard nothing from its caller for ${DELIVERY_TIMEOUT_MS} ms.`,
  );
