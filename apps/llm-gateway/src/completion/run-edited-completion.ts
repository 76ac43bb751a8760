import { invalidRequest, ServiceError } from '@witan/contracts';
import type { CompleteAsMessage, CompleteRequest } from '@witan/contracts';
import { DELIVERY_TIMEOUT_MS } from './delivery-timeout.ts';
import { runCompletion } from './run-completion.ts';
import type { Caller, CompletionDeps, CompletionEvent } from './completion.ts';

type Messages = AsyncIterator<CompleteAsMessage>;

/**
 * Runs a completion for a caller that edits the answer (README, Life of an edited answer): the
 * first message is the request, the second one the delivered text. Otherwise like `runCompletion`.
 * Rejects with INVALID_REQUEST for messages out of order, and DEADLINE_EXCEEDED when the caller
 * does not report the delivered text within 10 s.
 */
export async function* runEditedCompletion(
  messages: AsyncIterable<CompleteAsMessage>,
  caller: Omit<Caller, 'awaitDeliveredText'>,
  deps: CompletionDeps,
): AsyncGenerator<CompletionEvent> {
  const incoming = messages[Symbol.asyncIterator]();
  try {
    const request = readRequest(await readNext(incoming, caller.signal));
    const awaitDeliveredText = async (): Promise<string | null> =>
      readDelivered(await readNext(incoming, caller.signal));
    yield* runCompletion(request, { ...caller, awaitDeliveredText }, deps);
  } finally {
    // Not awaited: the caller may keep its side of the stream open until this call ends.
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

/** Returns null for an empty text, because an answer does not distinguish `""` from null. */
const readDelivered = ({ message }: CompleteAsMessage): string | null => {
  if (message.case !== 'delivered') {
    throw invalidRequest('The second message of CompleteAs must be the delivered text.');
  }
  return message.value.content || null;
};

const readNext = async (incoming: Messages, signal: AbortSignal): Promise<CompleteAsMessage> => {
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => stopped.reject(signal.reason);
  const timer = setTimeout(() => stopped.reject(deliveryTimedOut()), DELIVERY_TIMEOUT_MS);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const next = await Promise.race([incoming.next().catch(throwDisconnected), stopped.promise]);
    return next.done ? throwDisconnected() : next.value;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
};

const throwDisconnected = (cause?: unknown): never => {
  throw new ServiceError(
    'CANCELLED',
    'The caller disconnected before it reported the delivered text.',
    {
      cause,
    },
  );
};

const deliveryTimedOut = (): ServiceError =>
  new ServiceError(
    'DEADLINE_EXCEEDED',
    `CompleteAs received no message from its caller for ${DELIVERY_TIMEOUT_MS} ms.`,
  );
