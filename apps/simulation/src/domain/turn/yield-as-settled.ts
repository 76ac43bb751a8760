/**
 * Yields the results of promises in the order of completion. If any reject, throws the first error,
 * but only after all have settled, so that no result is lost.
 */
export async function* yieldAsSettled<T>(work: readonly Promise<T>[]): AsyncGenerator<T> {
  const running = new Map(
    work.map((promise, index) => [index, settle(promise).then((outcome) => ({ index, outcome }))]),
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

const settle = async <T>(work: Promise<T>): Promise<{ value: T } | { error: unknown }> => {
  try {
    return { value: await work };
  } catch (error) {
    return { error };
  }
};
