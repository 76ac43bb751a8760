import type { Message } from '@bufbuild/protobuf';
import { createChannel } from '../rpc/channel.ts';
import type { Receiver, StartedCall } from './client-call.ts';
import { CREDIT_BYTES } from './credit.ts';

type StartCall = (receiver: Receiver) => StartedCall | Promise<StartedCall>;

/**
 * Received credit is returned to the server in portions of at least this size, so that most
 * messages need no frame in return.
 */
const GRANT_BYTES = CREDIT_BYTES / 2;

/**
 * Returns the responses of a server-streaming call. The first read starts the call, and stopping
 * early cancels it.
 */
export const readResponses = (startCall: StartCall): AsyncIterableIterator<Message, undefined> => {
  // The channel has no limit of its own, because the call's flow-control credit limits it.
  const responses = createChannel<Message>(Infinity);
  let call: StartedCall | undefined;
  let hasStarted = false;
  let isCancelled = false;
  let receivedCredit = 0;

  const grant = (): void => {
    if (receivedCredit < GRANT_BYTES || !responses.isEmpty()) return;
    call?.grant(receivedCredit);
    receivedCredit = 0;
  };
  const receiver: Receiver = {
    onMessage: (message, credit) => {
      receivedCredit += credit;
      void responses.push(message);
      grant();
    },
    onEnd: responses.end,
    onFailure: responses.fail,
  };
  const start = async (): Promise<void> => {
    hasStarted = true;
    try {
      const started = startCall(receiver);
      call = started instanceof Promise ? await started : started;
      // The reader may have stopped while the call was still waiting for a session.
      if (isCancelled) call.cancel();
    } catch (error) {
      receiver.onFailure(error);
    }
  };
  const cancel = (): void => {
    hasStarted = true;
    isCancelled = true;
    responses.close();
    call?.cancel();
  };
  const iterator: AsyncIterableIterator<Message, undefined> = {
    next: () => {
      if (!hasStarted) void start();
      const response = responses.next();
      grant();
      return response;
    },
    return: async () => {
      cancel();
      return { done: true, value: undefined };
    },
    throw: async (error) => {
      cancel();
      throw error;
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
};
