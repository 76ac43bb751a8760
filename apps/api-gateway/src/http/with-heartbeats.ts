/**
 * Yields items as they arrive, and `undefined` whenever none arrived for `everyMs`. Requests an
 * item only after the previous one was consumed.
 */
export async function* withHeartbeats<T>(
  items: AsyncIterable<T>,
  everyMs: number,
): AsyncGenerator<T | undefined> {
  const reader = items[Symbol.asyncIterator]();
  try {
    let next = reader.next();
    for (;;) {
      const result = await withTimeout(next, everyMs);
      if (result?.done) return;
      yield result?.value;
      if (result) next = reader.next();
    }
  } finally {
    await reader.return?.();
  }
}

const withTimeout = async <T>(promise: Promise<T>, timeMs: number): Promise<T | undefined> => {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), timeMs);
  try {
    return await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
};
