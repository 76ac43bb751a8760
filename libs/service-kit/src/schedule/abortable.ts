/**
 * Settles as `work` does, or rejects with the signal's reason if the signal aborts first; the
 * result of `work` is then dropped. Use it for work that cannot be aborted or reacts too late.
 */
export const abortable = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};
