/** Lets a script go on only as far as the test allows: no sleeps, no races. */
export type Gate = {
  /** Resolves when the test has released one more step. */
  readonly pass: () => Promise<void>;
  /** Lets `steps` (1) further passes through, waiting or still to come. */
  readonly release: (steps?: number) => void;
  /** Lets everything through from now on. */
  readonly open: () => void;
};

/** A closed gate: each `pass` takes one released step, in the order of asking. */
export function createGate(): Gate {
  const waiting: (() => void)[] = [];
  let steps = 0;
  const admit = (): void => {
    while (steps > 0 && waiting.length > 0) {
      steps -= 1;
      waiting.shift()?.();
    }
  };
  const release = (count = 1): void => {
    steps += count;
    admit();
  };
  return {
    pass: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        admit();
      }),
    release,
    open: () => release(Number.POSITIVE_INFINITY),
  };
}
