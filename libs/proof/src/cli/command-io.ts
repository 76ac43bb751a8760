import { createReadStream } from 'node:fs';

/** All that a command does to the world. Tests give their own. */
export type CommandIo = {
  /** Writes one line, without its line feed. */
  stdout(line: string): void;
  stderr(line: string): void;
  /** The bytes of a file, piece by piece. Fails as the file system does. */
  readFile(path: string): AsyncIterable<Uint8Array>;
  fetch(url: string, options: FetchOptions): Promise<FetchAnswer>;
};

/** What the commands ask of `fetch`. */
export type FetchOptions = { headers: Record<string, string>; signal: AbortSignal };

/** What the commands read of the answer. */
export type FetchAnswer = {
  ok: boolean;
  status: number;
  body: AsyncIterable<Uint8Array> | null;
};

/** The real world: this process's output, the file system and the network. */
export function createProcessIo(): CommandIo {
  return {
    stdout: (line) => void process.stdout.write(`${line}\n`),
    stderr: (line) => void process.stderr.write(`${line}\n`),
    readFile: (path) => createReadStream(path),
    fetch: (url, options) => fetch(url, options),
  };
}
