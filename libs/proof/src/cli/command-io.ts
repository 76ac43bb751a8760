import { createReadStream } from 'node:fs';

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
