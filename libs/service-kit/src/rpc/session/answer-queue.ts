import type { Message } from '@bufbuild/protobuf';

export type Answer = IteratorResult<Message, undefined>;

/** The answers between a session that brings them and a reader that asks for one at a time. */
export type AnswerQueue = {
  /** True when the reader has everything that was put. */
  isEmpty: () => boolean;
  isOver: () => boolean;
  put: (message: Message) => void;
  /** No more answers; the reader gets what is queued, then `failure`, if any, once. */
  finish: (failure?: { error: unknown }) => void;
  /** The next answer, now or when it comes. */
  next: () => Promise<Answer>;
  /** Drops what is queued and ends. */
  clear: () => void;
};

type Reader = { resolve: (answer: Answer) => void; reject: (error: unknown) => void };

export const DONE: Answer = { done: true, value: undefined };

/** Creates a queue that is bounded by the credit of its call, not by itself. */
export const createAnswerQueue = (): AnswerQueue => {
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
  /** A failure is told once, as a generator tells it. */
  const takeEnd = (): Promise<Answer> => {
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
