/** Resolves with the number of turns of the event loop until `work` ended, and its result. */
export const countTurns = async <T>(work: Promise<T>): Promise<{ turns: number; result: T }> => {
  let turns = 0;
  let isEnded = false;
  const count = (): void => {
    turns += 1;
    if (!isEnded) setImmediate(count);
  };
  setImmediate(count);
  try {
    const result = await work;
    return { turns, result };
  } finally {
    isEnded = true;
  }
};
