import type { Message } from '@bufbuild/protobuf';
import { createResponseQueue, DONE } from './response-queue.ts';
import type { Receiver, StartedCall } from './client-call.ts';
import { CREDIT_BYTES } from './credit.ts';

/** Starts the call, once a session can be had. */
type Begin = (receiver: Receiver) => StartedCall | Promise<StartedCall>;

/** Credit is given back in portions, so that most answers cost no frame in return. */
const GRANT_BYTES = CREDIT_BYTES / 2;

/**
 * The answers of a server-streaming call, which starts when they are first asked for and is called
 * off when their reader leaves. A plain iterator: a generator would cost each answer more than its
 * journey does.
 */
export const readResponses = (begin: Begin): AsyncIterableIterator<Message, undefined> => {
  const queue = createResponseQueue();
  let call: StartedCall | undefined;
  let hasStarted = false;
  let used = 0;

  /** The reader has everything: the handler may go on. */
  const grant = (): void => {
    if (used < GRANT_BYTES || !queue.isEmpty()) return;
    call?.grant(used);
    used = 0;
  };
  const receiver: Receiver = {
    onMessage: (message, credit) => {
      used += credit;
      queue.put(message);
      grant();
    },
    onEnd: queue.finish,
    onFailure: (error) => queue.finish({ error }),
  };
  const start = async (): Promise<void> => {
    hasStarted = true;
    try {
      const started = begin(receiver);
      call = started instanceof Promise ? await started : started;
      // The reader may have left while a session was waited for.
      if (queue.isOver()) call.leave();
    } catch (error) {
      receiver.onFailure(error);
    }
  };
  const leave = (): void => {
    hasStarted = true;
    queue.clear();
    call?.leave();
  };
  const iterator: AsyncIterableIterator<Message, undefined> = {
    next: () => {
      if (!hasStarted) void start();
      const answer = queue.next();
      grant();
      return answer;
    },
    return: async () => {
      leave();
      return DONE;
    },
    throw: async (error) => {
      leave();
      throw error;
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
};
