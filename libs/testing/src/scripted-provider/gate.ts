/** Lets a test release the steps of a script one by one, without sleeps or races. */
export type Gate = {
  /**
   * Resolves when the test releases a step for this call. Pending calls are released in the order
   * in which they were made.
   */
  readonly pass: () => Promise<void>;
  readonly release: (steps?: number) => void;
  readonly open: () => void;
};

export function createGate(): Gate {
  const waiting: (() => void)[] = [];
  let steps = 0;
  const resolveReleased = (): void => {
    while (steps > 0 && waiting.length > 0) {
      steps -= 1;
      waiting.shift()?.();
    }
  };
  const release = (count = 1): void => {
    steps += count;
    resolveReleased();
  };
  return {
    pass: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        resolveReleased();
      }),
    release,
    open: () => release(Number.POSITIVE_INFINITY),
  };
}
