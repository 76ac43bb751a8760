/** A message from the child to its parent; exactly one field is set. */
export type ProgramMessage = { ready?: unknown; answer?: unknown; failure?: string };

/**
 * Runs the child's side of `openProgram`: reports readiness, executes one order at a time, and ends
 * on SIGTERM or when its parent ends.
 */
export const serveProgram = (program: {
  ready: unknown;
  answer?: (order: never) => Promise<unknown>;
  stop: () => Promise<void> | void;
}): void => {
  const send = (message: ProgramMessage): void => void process.send?.(message);
  process.on('message', ({ order }: { order: unknown }) => {
    const work = program.answer?.(order as never) ?? Promise.reject(new Error('takes no orders'));
    work.then(
      (answer) => send({ answer }),
      (error: unknown) => send({ failure: error instanceof Error ? error.message : 'unknown' }),
    );
  });
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void Promise.resolve(program.stop()).finally(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('disconnect', stop);
  // Ctrl-C reaches every process of the terminal. It is ignored here, because the parent ends the
  // child.
  process.on('SIGINT', () => {});
  send({ ready: program.ready });
};
