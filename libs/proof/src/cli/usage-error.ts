import type { CommandIo } from './command-io.ts';

/** The command was called wrongly, or something that it names cannot be read: exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Exit codes of the commands: the checks held, one failed, the command was called wrongly. */
export type ExitCode = 0 | 1 | 2;

/** Runs a command; a {@link UsageError} becomes its message and the usage on stderr, and 2. */
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

/** What an error says; core errors of Node may come from another realm, so no class is asked. */
export function messageOf(error: unknown): string {
  const says = typeof error === 'object' && error !== null && 'message' in error;
  return String(says ? error.message : error);
}
