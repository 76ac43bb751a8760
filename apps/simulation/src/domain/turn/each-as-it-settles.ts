/**
 * The results of what runs at once, in the order in which they come. What fails is thrown when
 * everything has ended: whatever else was under way is not wasted.
 */
export async function* eachAsItSettles<T>(work: readonly Promise<T>[]): AsyncGenerator<T> {
  const running = new Map(
    work.map((one, place) => [place, settle(one).then((outcome) => ({ place, outcome }))]),
  );
  const errors: unknown[] = [];
  while (running.size > 0) {
    const { place, outcome } = await Promise.race(running.values());
    running.delete(place);
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
