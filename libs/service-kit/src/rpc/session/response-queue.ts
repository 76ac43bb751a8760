import type { Message } from '@bufbuild/protobuf';

export type ResponseResult = IteratorResult<Message, undefined>;

export type ResponseQueue = {
  isEmpty: () => boolean;
  hasEnded: () => boolean;
  put: (message: Message) => void;
  finish: (failure?: { error: unknown }) => void;
  next: () => Promise<ResponseResult>;
  clear: () => void;
};

type Reader = { resolve: (response: ResponseResult) => void; reject: (error: unknown) => void };

export const DONE: ResponseResult = { done: true, value: undefined };

/**
 * Creates a queue of received responses. It has no limit of its own, because the call's
 * flow-control credit limits it.
 */
export const createResponseQueue = (): ResponseQueue => {
  let messages: Message[] = [];
  let readers: Reader[] = [];
  let hasEnded = false;
  let failure: { error: unknown } | undefined;

  const finish = (reason?: { error: unknown }): void => {
    if (hasEnded) return;
    hasEnded = true;
    failure = reason;
    for (const { resolve, reject } of readers) takeEnd().then(resolve, reject);
    readers = [];
  };
  const takeEnd = (): Promise<ResponseResult> => {
    if (!failure) return Promise.resolve(DONE);
    const { error } = failure;
    failure = undefined;
    return Promise.reject(error);
  };
  return {
    isEmpty: () => messages.length === 0,
    hasEnded: () => hasEnded,
    put: (message) => {
      if (hasEnded) return;
      const reader = readers.shift();
      if (reader) reader.resolve({ done: false, value: message });
      else messages.push(message);
    },
    finish,
    next: () => {
      const value = messages.shift();
      if (value) return Promise.resolve({ done: false, value });
      if (hasEnded) return takeEnd();
      return new Promise((resolve, reject) => readers.push({ resolve, reject }));
    },
    clear: () => {
      messages = [];
      finish();
      failure = undefined;
    },
  };
};
