/** Longest wait, in milliseconds; what is waited for takes a few on an idle machine. */
const PATIENCE_MS = 10_000;
const POLL_MS = 20;

/**
 * Asks until the answer is not undefined: for what happens behind the system's back, which nobody
 * tells of. Throws, naming `what`, when it does not come in 10 s.
 */
export const eventually = async <T>(
  what: string,
  ask: () => Promise<T | undefined>,
): Promise<T> => {
  for (const deadline = Date.now() + PATIENCE_MS; ;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`${what} did not come in ${PATIENCE_MS} ms.`);
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
};
