import type { CommandIo } from './command-io.ts';

export class UsageError extends Error {
  override name = 'UsageError';
}

/** Exit codes of the commands: 0 valid, 1 a check failed, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2;

export async function withUsage(
  io: CommandIo,
  usage: string,
  run: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr(error.message);
    io.stderr(usage);
    return 2;
  }
}

/**
 * Returns the message of an error. `instanceof` is not used, because errors of Node's core may come
 * from another realm.
 */
export function messageOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return String(hasMessage ? error.message : error);
}
