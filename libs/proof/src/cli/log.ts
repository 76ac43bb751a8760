import { decodeBase64, encodeBase64 } from '../bytes.ts';
import { PROOF_REASONS, ProofError } from '../errors.ts';
import { followLog, followTree } from '../tlog/follow-log.ts';
import type {
  FetchFile,
  FollowedLog,
  LogPosition,
  OpenedEpoch,
  TreePosition,
} from '../tlog/follow-log.ts';
import { tilePath, TILE_WIDTH, tileWidth } from '../tlog/tile.ts';
import { parsePolicy } from '../tlog/policy.ts';
import type { CommandIo, CommandOptions, ExitCode } from './command-io.ts';
import { parseOptions, printable, UsageError, withUsage } from './command-io.ts';
import { openSource, readAll, readFile } from './read-source.ts';
import { NOT_WITNESSED, readPolicy } from './verify-bundle.ts';

export const LOG_USAGE = `Usage: witan log status URL [--policy FILE]
       witan log monitor URL --policy FILE --state FILE
       witan log mirror URL --policy FILE --state FILE --folder FOLDER
       witan log follow URL --policy FILE --state FILE --workspace ID [--issuer NAME]
       witan log keygen FILE --origin NAME
       witan log adopt FOLDER

Reads the transparency log of the gateway at URL, for example https://gateway.example.com.

  status   what the log is, and who has cosigned it
  monitor  reads on from the last run, and verifies that the log only grew
  mirror   the same, and stores the log in FOLDER in the form of c2sp.org/tlog-tiles
  follow   the same, and verifies that the workspace has one history in it; needs
           --api-key KEY, or WITAN_API_KEY
  keygen   makes a log key, writes it to FILE, and prints its public key for witnesses
  adopt    gives a database that was restored from a backup the epochs that it lacks, from
           a mirror in FOLDER, and states the loss in the log; works on the ledger's
           DATABASE_URL, or on the system that runs in WITAN_HOME

  --policy FILE   the logs and witnesses to trust (c2sp.org/tlog-policy), from somebody
                  other than the gateway
  --state FILE    where the position is stored between two runs; made by the first one

Run monitor, mirror or follow at an interval. Exit code: 0 the log is as it should be,
1 it is not: keep both checkpoints that are printed, or it states a loss of epochs, which
is reported once; 2 wrong usage or no answer.`;

/** What the commands need beside reading: to store a file, all of it or nothing. */
export type LogIo = CommandIo & {
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  exists(path: string): boolean;
  apiKey: string | undefined;
};

const OPTIONS = ['policy', 'state', 'folder', 'workspace', 'issuer', 'api-key'];

/** Runs `witan log status|monitor|mirror|follow`. */
export function runLog([command = '', ...argv]: readonly string[], io: LogIo): Promise<ExitCode> {
  return withUsage(io, LOG_USAGE, async () => {
    if (!Object.hasOwn(COMMANDS, command)) throw new UsageError(`There is no log ${command}.`);
    const options = parseOptions(argv, OPTIONS);
    try {
      return await COMMANDS[command as keyof typeof COMMANDS](options, io);
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      io.stdout(`FAILED: ${PROOF_REASONS[error.reason]}`);
      io.stdout(printable(`INVALID: ${error.reason}: ${error.detail}`));
      return 1;
    }
  });
}

const COMMANDS = { status: runStatus, monitor: runMonitor, mirror: runMirror, follow: runFollow };

type LogInfo = { origin: string; policy: string; size: number; publishedAt: string | null };

async function runStatus(options: CommandOptions, io: LogIo): Promise<ExitCode> {
  const url = urlOf(options);
  const info = JSON.parse(toText(await fetchFile(io, `${url}/v1/log`))) as LogInfo;
  const isGiven = options.valueOf('policy') !== undefined;
  const policy = isGiven ? await readPolicy(options, io) : parsePolicy(info.policy);
  io.stdout(printable(`log ${info.origin}, ${info.size} epochs, published ${info.publishedAt}`));
  io.stdout(isGiven ? 'policy: the given one' : 'policy: that of the gateway itself');
  if (info.size === 0) return 0;
  const { checkpoint } = await followLog(undefined, policy, logFiles(io, url));
  printWitnesses(io, checkpoint, policy.witnesses);
  return 0;
}

function printWitnesses(
  io: LogIo,
  { signatures, time }: FollowedLog['checkpoint'],
  witnesses: readonly { name: string; key: unknown }[],
): void {
  for (const { name, key } of witnesses) {
    const at = signatures.find((signature) => signature.key === key)?.time;
    const text = at === undefined ? 'has not cosigned' : `cosigned ${toInstant(at)}`;
    io.stdout(printable(`witness ${name}: ${text}`));
  }
  io.stdout(time === undefined ? NOT_WITNESSED : `witnessed at ${toInstant(time)}`);
}

const toInstant = (seconds: number): string => new Date(seconds * 1000).toISOString();

async function runMonitor(options: CommandOptions, io: LogIo): Promise<ExitCode> {
  const { followed, state } = await follow(options, io);
  await state.save({ log: toJson(followed.position) });
  return codeOf(followed);
}

/** A stated loss is reported once, because the next run begins after it. */
const codeOf = ({ losses }: FollowedLog): ExitCode => (losses.length === 0 ? 0 : 1);

async function runMirror(options: CommandOptions, io: LogIo): Promise<ExitCode> {
  const folder = options.valueOf('folder');
  if (folder === undefined) throw new UsageError('Say where to store the log: --folder FOLDER.');
  const { followed, state, last } = await follow(options, io);
  const { size, note } = followed.position;
  const read = logFiles(io, urlOf(options));
  for (const path of newTiles(last?.size ?? 0, size)) {
    await io.writeFile(`${folder}/${path}`, await read(path));
  }
  // The checkpoint is stored last, so that the mirror has what it promises.
  await io.writeFile(`${folder}/checkpoint`, note);
  await state.save({ log: toJson(followed.position) });
  return codeOf(followed);
}

/** Returns the paths of all tiles that have changed since a log had `from` entries. */
function newTiles(from: number, size: number): string[] {
  const paths: string[] = [];
  for (const level of ['entries', 0, 1, 2, 3, 4, 5, 6] as const) {
    const span = TILE_WIDTH ** (level === 'entries' ? 0 : level);
    const first = Math.floor(Math.floor(from / span) / TILE_WIDTH);
    for (let n = first; ; n += 1) {
      const width = tileWidth({ level, n }, size);
      if (width === 0) break;
      paths.push(tilePath({ level, n, width }));
    }
  }
  return paths;
}

const EPOCHS_PAGE = 100;

async function runFollow(options: CommandOptions, io: LogIo): Promise<ExitCode> {
  const workspaceId = options.valueOf('workspace');
  const apiKey = options.valueOf('api-key') ?? io.apiKey;
  if (workspaceId === undefined || apiKey === undefined) {
    throw new UsageError('Say whose history to follow: --workspace ID, and --api-key KEY.');
  }
  const url = urlOf(options);
  const { followed, state, last, stored } = await follow(options, io);
  const { origin } = followed.checkpoint;
  const { logs } = await readPolicy(options, io);
  const workspace = {
    workspaceId,
    origin,
    issuer: options.valueOf('issuer') ?? 'witan',
    logKeys: logs.map(({ key }) => key).filter(({ name }) => name === origin),
    fetchTreeFile: (path: string) => fetchFile(io, `${url}/v1/proofs/tree/${path}`, apiKey),
  };
  let tree = stored.tree;
  const start = last?.size ?? 0;
  for (let n = start; n < followed.position.size;) {
    const page = `${url}/v1/proofs/epochs?from=${n}&limit=${EPOCHS_PAGE}`;
    const lines = toText(await fetchFile(io, page, apiKey)).split('\n');
    const opened = lines
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as OpenedEpoch);
    if (opened[0]?.epoch !== n) throw new UsageError(`The gateway does not show epoch ${n}.`);
    for (const one of opened.slice(0, followed.position.size - n)) {
      const entry = followed.entries[n - start]!;
      if (one.epoch !== n) throw new ProofError('epoch', `epoch ${n} is left out`);
      tree = await followTree(tree, { opened: one, entry, isLost: isLost(followed, n) }, workspace);
      n += 1;
    }
  }
  io.stdout(
    tree === undefined
      ? printable(`${workspaceId} has no certificate in the log`)
      : printable(`${workspaceId} has one history of ${tree.size} certificates, root ${tree.root}`),
  );
  await state.save({ log: toJson(followed.position), ...(tree === undefined ? {} : { tree }) });
  return codeOf(followed);
}

/** Returns whether the log states that an epoch was lost. The statement itself has no head. */
const isLost = ({ losses }: FollowedLog, n: number): boolean =>
  losses.some(({ first, epoch }) => n >= first && n <= epoch);

type StoredPosition = { note: string; size: number; edge: string };
type State = { log?: StoredPosition; tree?: TreePosition };

/** Reads the log on from the stored position. If that fails, prints the last checkpoint. */
async function follow(options: CommandOptions, io: LogIo) {
  const file = options.valueOf('state');
  if (file === undefined) throw new UsageError('Say where the position is stored: --state FILE.');
  const policy = await readPolicy(options, io);
  const stored = io.exists(file)
    ? (JSON.parse(toText(await readFile(io, file))) as State)
    : ({} as State);
  const last = stored.log && toPosition(stored.log);
  const read = logFiles(io, urlOf(options));
  try {
    const followed = await followLog(last, policy, read);
    const { size, time } = followed.checkpoint;
    const since = `${followed.entries.length} since the last run`;
    io.stdout(printable(`log ${followed.checkpoint.origin}: ${size} epochs, ${since}`));
    io.stdout(time === undefined ? NOT_WITNESSED : `witnessed at ${toInstant(time)}`);
    for (const { first, last: lost, epoch } of followed.losses) {
      io.stdout(`LOSS: epoch ${epoch} states that epochs ${first} to ${lost} were lost`);
    }
    const save = (state: State) => io.writeFile(file, `${JSON.stringify(state)}\n`);
    return { followed, last, stored, state: { save } };
  } catch (error) {
    if (error instanceof ProofError && last !== undefined) {
      io.stdout(`The last checkpoint, of which the log should be an extension:\n${last.note}`);
      io.stdout(`The checkpoint that it shows now:\n${toText(await read('checkpoint'))}`);
    }
    throw error;
  }
}

const toJson = ({ note, size, edge }: LogPosition): StoredPosition => ({
  note,
  size,
  edge: encodeBase64(edge),
});

const toPosition = ({ note, size, edge }: StoredPosition): LogPosition => ({
  note,
  size,
  edge: decodeBase64(edge) ?? new Uint8Array(),
});

function urlOf({ file }: CommandOptions): string {
  if (!/^https?:\/\//.test(file)) throw new UsageError(`${file} is not the URL of a gateway.`);
  return file.replace(/\/+$/, '');
}

const logFiles =
  (io: LogIo, url: string): FetchFile =>
  (path) =>
    fetchFile(io, `${url}/v1/log/${path}`);

async function fetchFile(io: LogIo, url: string, apiKey?: string): Promise<Uint8Array> {
  return await readAll(openSource(io, url, apiKey === undefined ? {} : { apiKey }), url);
}

const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
