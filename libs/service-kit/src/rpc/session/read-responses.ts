import type { Message } from '@bufbuild/protobuf';
import { createResponseQueue, DONE } from './response-queue.ts';
import type { Receiver, StartedCall } from './client-call.ts';
import { CREDIT_BYTES } from './credit.ts';

type StartCall = (receiver: Receiver) => StartedCall | Promise<StartedCall>;

/**
 * Received credit is returned to the server in portions of this size, so that most messages need no
 * frame in return.
 */
const GRANT_BYTES = CREDIT_BYTES / 2;

/**
 * Returns the responses of a server-streaming call. The first read starts the call, and stopping
 * early cancels it. Not a generator, because a plain iterator is faster per message.
 */
export const readResponses = (startCall: StartCall): AsyncIterableIterator<Message, undefined> => {
  const queue = createResponseQueue();
  let call: StartedCall | undefined;
  let hasStarted = false;
  let receivedCredit = 0;

  const grant = (): void => {
    if (receivedCredit < GRANT_BYTES || !queue.isEmpty()) return;
    call?.grant(receivedCredit);
    receivedCredit = 0;
  };
  const receiver: Receiver = {
    onMessage: (message, credit) => {
      receivedCredit += credit;
      queue.put(message);
      grant();
    },
    onEnd: queue.finish,
    onFailure: (error) => queue.finish({ error }),
  };
  const start = async (): Promise<void> => {
    hasStarted = true;
    try {
      const started = startCall(receiver);
      call = started instanceof Promise ? await started : started;
      // The reader may have stopped while the call was still waiting for a session.
      if (queue.hasEnded()) call.cancel();
    } catch (error) {
      receiver.onFailure(error);
    }
  };
  const cancel = (): void => {
    hasStarted = true;
    queue.clear();
    call?.cancel();
  };
  const iterator: AsyncIterableIterator<Message, undefined> = {
    next: () => {
      if (!hasStarted) void start();
      const response = queue.next();
      grant();
      return response;
    },
    return: async () => {
      cancel();
      return DONE;
    },
    throw: async (error) => {
      cancel();
      throw error;
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
};
