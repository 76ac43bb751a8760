/**
 * Yields items as they arrive, and `undefined` after each silence of `everyMs`. Requests an item
 * only after the previous one was consumed.
 */
export async function* withHeartbeats<T>(
  items: AsyncIterable<T>,
  everyMs: number,
): AsyncGenerator<T | undefined> {
  const reader = items[Symbol.asyncIterator]();
  try {
    let next = reader.next();
    for (;;) {
      const result = await firstOf(next, everyMs);
      if (result?.done) return;
      yield result?.value;
      if (result) next = reader.next();
    }
  } finally {
    await reader.return?.();
  }
}

const firstOf = async <T>(coming: Promise<T>, timeMs: number): Promise<T | undefined> => {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), timeMs);
  try {
    return await Promise.race([coming, late.promise]);
  } finally {
    clearTimeout(timer);
  }
};
