/** What a program tells whoever opened it; exactly one of these is set. */
export type ProgramMessage = { ready?: unknown; answer?: unknown; failure?: string };

/**
 * The inside of a program opened by `openProgram`: says that it is ready, answers one order at a
 * time, and ends on SIGTERM or when its opener is gone.
 */
export const serveProgram = (program: {
  ready: unknown;
  answer?: (order: never) => Promise<unknown>;
  stop: () => Promise<void> | void;
}): void => {
  const tell = (message: ProgramMessage): void => void process.send?.(message);
  process.on('message', ({ order }: { order: unknown }) => {
    const work = program.answer?.(order as never) ?? Promise.reject(new Error('takes no orders'));
    work.then(
      (answer) => tell({ answer }),
      (error: unknown) => tell({ failure: error instanceof Error ? error.message : 'unknown' }),
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
  // Ctrl-C reaches every process of the terminal; the opener ends this one in its turn.
  process.on('SIGINT', () => {});
  tell({ ready: program.ready });
};
