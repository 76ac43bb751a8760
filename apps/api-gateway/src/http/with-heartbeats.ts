/**
 * Yields items as they come, and `undefined` after each silence. Requests an item only when the
 * previous one was consumed.
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

/** Resolves with the item, or with undefined after `timeMs`. */
const firstOf = async <T>(coming: Promise<T>, timeMs: number): Promise<T | undefined> => {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), timeMs);
  try {
    return await Promise.race([coming, late.promise]);
  } finally {
    clearTimeout(timer);
  }
};
