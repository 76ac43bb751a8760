/**
 * Yields the results of promises in the order of completion. If any reject, throws the first error,
 * but only after all have settled, so that no result is lost.
 */
export async function* yieldAsSettled<T>(promises: readonly Promise<T>[]): AsyncGenerator<T> {
  const running = new Map(
    promises.map((promise, index) => [
      index,
      settle(promise).then((outcome) => ({ index, outcome })),
    ]),
  );
  const errors: unknown[] = [];
  while (running.size > 0) {
    const { index, outcome } = await Promise.race(running.values());
    running.delete(index);
    if ('error' in outcome) errors.push(outcome.error);
    else yield outcome.value;
  }
  if (errors.length > 0) throw errors[0];
}

const settle = async <T>(promises: Promise<T>): Promise<{ value: T } | { error: unknown }> => {
  try {
    return { value: await promises };
  } catch (error) {
    return { error };
  }
};
