/**
 * Hands items on as they come, and `undefined` whenever none came for a while. Asks for no item
 * before the one before it was taken.
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

/** What comes within the time; undefined when nothing does. */
const firstOf = async <T>(coming: Promise<T>, timeMs: number): Promise<T | undefined> => {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), timeMs);
  try {
    return await Promise.race([coming, late.promise]);
  } finally {
    clearTimeout(timer);
  }
};
