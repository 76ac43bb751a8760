import { fromUtf8 } from '../bytes.ts';
import { ProofError } from '../errors.ts';
import { parsePublicKeys } from '../keys.ts';
import type { PublicKeys } from '../keys.ts';
import type { CommandIo } from './command-io.ts';
import { messageOf, UsageError } from './command-io.ts';

/** Maximum size of a file that is read as a whole, and of a line of a file that is streamed. */
export const MAX_SOURCE_BYTES = 64 * 1024 * 1024;

const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;

const LF = 10;

export async function* openSource(
  io: CommandIo,
  source: string,
  options: { apiKey?: string } = {},
): AsyncGenerator<Uint8Array> {
  try {
    yield* isUrl(source) ? await download(io, source, options) : io.readFile(source);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot read ${source}: ${messageOf(error)}`, { cause: error });
  }
}

export async function readSource(io: CommandIo, source: string): Promise<Uint8Array> {
  return await readAll(openSource(io, source), source);
}

/** Reads a whole file or response. Throws {@link UsageError} if it is too long. */
export async function readAll(
  content: AsyncIterable<Uint8Array>,
  source: string,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of content) {
    length += piece.length;
    if (length > MAX_SOURCE_BYTES) {
      throw new UsageError(`${source} has more than ${MAX_SOURCE_BYTES} bytes.`);
    }
    pieces.push(piece);
  }
  return concat(pieces, length);
}

/**
 * Reads a file that must not come from the network, because it says whom to trust. Throws
 * {@link UsageError}.
 */
export async function readFile(io: CommandIo, path: string): Promise<Uint8Array> {
  if (isUrl(path)) throw new UsageError(`${path} must be a file, from a party that you trust.`);
  return await readSource(io, path);
}

export async function readPublicKeys(io: CommandIo, source: string): Promise<PublicKeys> {
  const text = fromUtf8(await readSource(io, source));
  if (text === undefined) throw new UsageError(`No public key in ${source}: it is not UTF-8.`);
  try {
    return parsePublicKeys(text);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw new UsageError(`No public key in ${source}: ${error.detail}.`, { cause: error });
  }
}

/**
 * Yields the lines of a byte stream, without their line feeds. At most one line and one chunk are
 * in memory at a time. Throws a ProofError `not_json` if a line is too long or not UTF-8.
 */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let pending: Uint8Array[] = [];
  let length = 0;

  function takeLine(): string {
    const line = fromUtf8(concat(pending, length));
    pending = [];
    length = 0;
    if (line === undefined) throw new ProofError('not_json', 'a line of the export is not UTF-8');
    return line;
  }

  function add(piece: Uint8Array): void {
    pending.push(piece);
    length += piece.length;
    if (length <= MAX_SOURCE_BYTES) return;
    throw new ProofError('not_json', `a line of the export has over ${MAX_SOURCE_BYTES} bytes`);
  }

  for await (const chunk of source) {
    let start = 0;
    for (let lf = chunk.indexOf(LF); lf !== -1; lf = chunk.indexOf(LF, start)) {
      add(chunk.subarray(start, lf));
      yield takeLine();
      start = lf + 1;
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield takeLine();
}

async function download(
  io: CommandIo,
  url: string,
  { apiKey }: { apiKey?: string },
): Promise<AsyncIterable<Uint8Array>> {
  // The API key is sent as a bearer token, because fetch drops `Authorization`, but not
  // `x-api-key`, when a redirect leads to another host.
  const headers: Record<string, string> =
    apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  const response = await io.fetch(url, { headers, signal });
  if (!response.ok || response.body === null) {
    throw new UsageError(`Cannot read ${url}: it answered with status ${response.status}.`);
  }
  return response.body;
}

function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

function concat(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}
