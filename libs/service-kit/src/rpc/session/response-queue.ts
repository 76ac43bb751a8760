import type { Message } from '@bufbuild/protobuf';

export type ResponseResult = IteratorResult<Message, undefined>;

/** Buffers the responses of a call for a reader that takes one at a time. */
export type ResponseQueue = {
  /** True when the reader has taken every response. */
  isEmpty: () => boolean;
  isOver: () => boolean;
  put: (message: Message) => void;
  /** Ends the queue; the reader gets the queued responses, then `failure`, if any, once. */
  finish: (failure?: { error: unknown }) => void;
  /** Resolves with the next response. */
  next: () => Promise<ResponseResult>;
  clear: () => void;
};

type Reader = { resolve: (answer: ResponseResult) => void; reject: (error: unknown) => void };

export const DONE: ResponseResult = { done: true, value: undefined };

/** Creates a queue. Its size is limited by the call's flow-control credit. */
export const createResponseQueue = (): ResponseQueue => {
  let messages: Message[] = [];
  let readers: Reader[] = [];
  let isOver = false;
  let failure: { error: unknown } | undefined;

  const finish = (reason?: { error: unknown }): void => {
    if (isOver) return;
    isOver = true;
    failure = reason;
    for (const { resolve, reject } of readers) takeEnd().then(resolve, reject);
    readers = [];
  };
  /** A failure is thrown once, as by a generator. */
  const takeEnd = (): Promise<ResponseResult> => {
    if (!failure) return Promise.resolve(DONE);
    const { error } = failure;
    failure = undefined;
    return Promise.reject(error);
  };
  return {
    isEmpty: () => messages.length === 0,
    isOver: () => isOver,
    put: (message) => {
      if (isOver) return;
      const reader = readers.shift();
      if (reader) reader.resolve({ done: false, value: message });
      else messages.push(message);
    },
    finish,
    next: () => {
      const value = messages.shift();
      if (value) return Promise.resolve({ done: false, value });
      if (isOver) return takeEnd();
      return new Promise((resolve, reject) => readers.push({ resolve, reject }));
    },
    clear: () => {
      messages = [];
      finish();
      failure = undefined;
    },
  };
};
