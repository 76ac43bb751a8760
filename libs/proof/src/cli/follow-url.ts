import { decodeBase64, encodeBase64 } from '../bytes.ts';
import { ProofError } from '../errors.ts';
import { followLog } from '../tlog/follow-log.ts';
import type { FetchFile, FollowedLog, LogPosition, TreePosition } from '../tlog/follow-log.ts';
import type { Policy } from '../tlog/policy.ts';
import { toInstant } from '../tlog/verify-bundle.ts';
import type { CommandIo, CommandOptions } from './command-io.ts';
import { printable, UsageError } from './command-io.ts';
import { openSource, readAll, readFile } from './read-source.ts';
import { NOT_WITNESSED, readDuration, readPolicy } from './verify-bundle.ts';

/** What the commands need beside reading: to store a file, all of it or nothing. */
export type LogIo = CommandIo & {
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  exists(path: string): boolean;
  apiKey: string | undefined;
};

type StoredPosition = { note: string; size: number; edge: string };
/** Open tiles; hashes are base64, a text a level. */
export type StoredTiles = { entries: string[]; hashes: string[] };

export type State = {
  log?: StoredPosition;
  /** Of a mirror. */
  tiles?: StoredTiles;
  /** Of a workspace: its tree, and the first epoch that showed it. */
  tree?: TreePosition;
  since?: number;
  /** Number of epochs that were followed, if a run ended before the end of the log. */
  opened?: number;
};

/**
 * Reads the log on from the stored position of `purpose`. If that fails, prints and stores the last
 * checkpoint and the one that is shown now.
 */
export async function followUrl(options: CommandOptions, io: LogIo, purpose: string) {
  const file = options.valueOf('state');
  if (file === undefined) throw new UsageError('Say where the position is stored: --state FILE.');
  if (options.valueOf('policy') === undefined) {
    throw new UsageError('Say which log and witnesses to trust: --policy FILE.');
  }
  const policy = await readPolicy(options, io);
  const stored = io.exists(file) ? await readState(io, file, purpose) : ({} as State);
  const last = stored.log && toPosition(stored.log);
  const followed = await followOn(options, io, { policy, last, file });
  checkAge(options, followed.checkpoint);
  const { origin, size, time } = followed.checkpoint;
  io.stdout(
    printable(`log ${origin}: ${size} epochs, ${followed.entries.length} since the last run`),
  );
  io.stdout(time === undefined ? NOT_WITNESSED : `witnessed at ${toInstant(time)}`);
  for (const { first, last: lost, epoch } of followed.losses) {
    io.stdout(`LOSS: epoch ${epoch} states that epochs ${first} to ${lost} were lost`);
  }
  const save = (state: State) => io.writeFile(file, `${JSON.stringify({ purpose, ...state })}\n`);
  return { followed, last, stored, policy, save };
}

type Position = { policy: Policy; last: LogPosition | undefined; file: string };

async function followOn(
  options: CommandOptions,
  io: LogIo,
  { policy, last, file }: Position,
): Promise<FollowedLog> {
  let shown = '';
  const read: FetchFile = async (path) => {
    const bytes = await logFiles(io, urlOf(options))(path);
    if (path === 'checkpoint') shown = toText(bytes);
    return bytes;
  };
  try {
    return await followLog(last, policy, read);
  } catch (error) {
    if (error instanceof ProofError && last !== undefined) {
      await reportCheckpoints(io, { file, last: last.note, shown });
    }
    throw error;
  }
}

async function readState(io: LogIo, file: string, purpose: string): Promise<State> {
  const json = parseJson(toText(await readFile(io, file)), file);
  const { purpose: found, ...state } = json as State & { purpose?: string };
  if (found === purpose) return state;
  throw new UsageError(
    `${file} is the state of ${found === undefined ? 'another version' : `witan log ${found}`}, ` +
      `not of witan log ${purpose}: give each command a file of its own.`,
  );
}

/** Both are evidence, so they are stored before the gateway can show others. */
async function reportCheckpoints(
  io: LogIo,
  { file, last, shown }: { file: string; last: string; shown: string },
): Promise<void> {
  const text =
    `The last checkpoint, of which the log should be an extension:\n${last}\n` +
    `The checkpoint that it shows now:\n${shown}`;
  for (const line of text.split('\n')) io.stdout(printable(line));
  await io.writeFile(`${file}.evidence`, text);
  io.stdout(printable(`Both are in ${file}.evidence.`));
}

/** Throws if the quorum cosigned the checkpoint before the time that --max-age allows. */
export function checkAge(options: CommandOptions, { time }: FollowedLog['checkpoint']): void {
  const maxAgeMs = readDuration(options, 'max-age');
  if (maxAgeMs === undefined) return;
  if (time === undefined) {
    throw new UsageError('--max-age needs a policy with witnesses: without them no time is known.');
  }
  if (Date.now() - time * 1_000 <= maxAgeMs) return;
  throw new ProofError('quorum', `the newest cosignatures are of ${toInstant(time)}`);
}

export function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${source} is not JSON.`, { cause });
  }
}

export const toJson = ({ note, size, edge }: LogPosition): StoredPosition => ({
  note,
  size,
  edge: encodeBase64(edge),
});

const toPosition = ({ note, size, edge }: StoredPosition): LogPosition => ({
  note,
  size,
  edge: decodeBase64(edge) ?? new Uint8Array(),
});

export function urlOf({ file }: CommandOptions): string {
  if (!/^https?:\/\//.test(file)) throw new UsageError(`${file} is not the URL of a gateway.`);
  return file.replace(/\/+$/, '');
}

export const logFiles =
  (io: LogIo, url: string): FetchFile =>
  (path) =>
    fetchFile(io, `${url}/v1/log/${path}`);

export async function fetchFile(io: LogIo, url: string, apiKey?: string): Promise<Uint8Array> {
  return await readAll(openSource(io, url, apiKey === undefined ? {} : { apiKey }), url);
}

/** Keeps a byte order mark, so that no JSON begins with one. */
export const toText = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
