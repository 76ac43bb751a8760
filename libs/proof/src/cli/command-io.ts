import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';

export type CommandIo = {
  stdout(line: string): void;
  stderr(line: string): void;
  readFile(path: string): AsyncIterable<Uint8Array>;
  fetch(url: string, options: FetchOptions): Promise<FetchResponse>;
};

export type FetchOptions = { headers: Record<string, string>; signal: AbortSignal };

type FetchResponse = {
  ok: boolean;
  status: number;
  body: AsyncIterable<Uint8Array> | null;
};

export function createProcessIo(): CommandIo {
  return {
    stdout: (line) => void process.stdout.write(`${line}\n`),
    stderr: (line) => void process.stderr.write(`${line}\n`),
    readFile: (path) => createReadStream(path),
    fetch: (url, options) => fetch(url, options),
  };
}

export class UsageError extends Error {
  override name = 'UsageError';
}

/**
 * Exit codes of the commands: 0 valid, 1 a check failed, 2 wrong usage or an input that cannot be
 * read, 3 undecided, for a part of an aborted answer.
 */
export type ExitCode = 0 | 1 | 2 | 3;

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

export type CommandOptions = {
  file: string;
  /** Returns the value of an option; the last one if it is repeated. */
  valueOf(name: string): string | undefined;
  valuesOf(name: string): string[];
  json: boolean;
};

/**
 * Parses command-line arguments of the form `FILE [--name VALUE]... [--json]`. Throws {@link
 * UsageError}.
 */
export function parseOptions(argv: readonly string[], names: readonly string[]): CommandOptions {
  const { positionals, ...parsed } = parse(argv, names);
  const values: Record<string, unknown> = parsed.values;
  const valuesOf = (name: string): string[] => (values[name] as string[] | undefined) ?? [];
  const [file, surplus] = positionals;
  if (file === undefined) throw new UsageError('Name the file to verify.');
  if (surplus !== undefined) throw new UsageError(`One file at a time: ${surplus} is too much.`);
  return {
    file,
    valueOf: (name) => valuesOf(name).at(-1),
    valuesOf,
    json: values['json'] === true,
  };
}

function parse(argv: readonly string[], names: readonly string[]) {
  const withValue = names.map(
    (name) => [name, { type: 'string' as const, multiple: true }] as const,
  );
  try {
    return parseArgs({
      args: [...argv],
      options: { ...Object.fromEntries(withValue), json: { type: 'boolean' as const } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

/**
 * Escapes characters that move the cursor, change colours, reorder text or start a new line,
 * because the content of a certificate is untrusted and could forge output.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
