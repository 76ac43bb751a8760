import { decodeBase64, encodeBase64, joinBytes } from '../bytes.ts';
import { PROOF_REASONS, ProofError } from '../errors.ts';
import { followLog, followTree, parseOpenedEpoch } from '../tlog/follow-log.ts';
import type { FollowedLog } from '../tlog/follow-log.ts';
import { mirrorTiles } from '../tlog/mirror-tiles.ts';
import type { OpenTiles } from '../tlog/mirror-tiles.ts';
import { parsePolicy } from '../tlog/policy.ts';
import { tileHashes } from '../tlog/tile.ts';
import { toInstant } from '../tlog/verify-bundle.ts';
import { isBlank } from '../verify-chain.ts';
import type { CommandOptions, ExitCode } from './command-io.ts';
import { parseOptions, printable, UsageError, withUsage } from './command-io.ts';
import {
  checkAge,
  fetchFile,
  followUrl,
  logFiles,
  parseJson,
  toJson,
  toText,
  urlOf,
} from './follow-url.ts';
import type { LogIo, State, StoredTiles } from './follow-url.ts';
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
  --state FILE    where the position is stored between two runs; made by the first one,
                  for one command, and for follow one workspace, only
  --max-age TIME  fails if the quorum of witnesses cosigned longer ago than, for example,
                  1h: then the gateway may show an old log

Run monitor, mirror or follow at an interval. Exit code: 0 the log is as it should be,
1 it is not: keep both checkpoints that are printed, or it states a loss of epochs, which
is reported once; 2 wrong usage or no answer.`;

const OPTIONS = ['policy', 'state', 'folder', 'workspace', 'issuer', 'api-key', 'max-age'];

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
  const info = parseJson(toText(await fetchFile(io, `${url}/v1/log`)), `${url}/v1/log`) as LogInfo;
  const isGiven = options.valueOf('policy') !== undefined;
  const policy = isGiven ? await readPolicy(options, io) : parsePolicy(info.policy);
  io.stdout(printable(`log ${info.origin}, ${info.size} epochs, published ${info.publishedAt}`));
  io.stdout(isGiven ? 'policy: the given one' : 'policy: that of the gateway itself');
  if (info.size === 0) return 0;
  const { checkpoint } = await followLog(undefined, policy, logFiles(io, url));
  checkAge(options, checkpoint);
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

async function runMonitor(options: CommandOptions, io: LogIo): Promise<ExitCode> {
  const { followed, save } = await followUrl(options, io, 'monitor');
  await save({ log: toJson(followed.position) });
  return codeOf(followed);
}

/** A stated loss is reported once, because the next run begins after it. */
const codeOf = ({ losses }: FollowedLog): ExitCode => (losses.length === 0 ? 0 : 1);

async function runMirror(options: CommandOptions, io: LogIo): Promise<ExitCode> {
  const folder = options.valueOf('folder');
  if (folder === undefined) throw new UsageError('Say where to store the log: --folder FOLDER.');
  const { followed, save, last, stored } = await followUrl(options, io, `mirror in ${folder}`);
  const start = { size: last?.size ?? 0, edge: last ? tileHashes(last.edge) : [] };
  const open = stored.tiles ? fromJson(stored.tiles) : { entries: [], hashes: [] };
  const mirrored = mirrorTiles({ ...start, open }, followed.entries);
  for (const { path, bytes } of mirrored.files) await io.writeFile(`${folder}/${path}`, bytes);
  // The checkpoint is stored last, so that the mirror has what it promises.
  await io.writeFile(`${folder}/checkpoint`, followed.position.note);
  const tiles = { ...mirrored.open, hashes: mirrored.open.hashes.map(joinToBase64) };
  await save({ log: toJson(followed.position), tiles });
  return codeOf(followed);
}

const joinToBase64 = (hashes: readonly Uint8Array[]): string => encodeBase64(joinBytes(hashes));

const fromJson = ({ entries, hashes }: StoredTiles): OpenTiles => ({
  entries,
  hashes: hashes.map((row) => tileHashes(decodeBase64(row) ?? new Uint8Array())),
});

const EPOCHS_PAGE = 100;

async function runFollow(options: CommandOptions, io: LogIo): Promise<ExitCode> {
  const workspaceId = options.valueOf('workspace');
  const apiKey = options.valueOf('api-key') ?? io.apiKey;
  if (workspaceId === undefined || apiKey === undefined) {
    throw new UsageError('Say whose history to follow: --workspace ID, and --api-key KEY.');
  }
  const url = urlOf(options);
  const purpose = `follow ${workspaceId}`;
  const { followed, save, last, stored, policy } = await followUrl(options, io, purpose);
  const { origin } = followed.checkpoint;
  const { logs } = policy;
  const workspace = {
    workspaceId,
    origin,
    issuer: options.valueOf('issuer') ?? 'witan',
    logKeys: logs.map(({ key }) => key).filter(({ name }) => name === origin),
    fetchTreeFile: (path: string) => fetchFile(io, `${url}/v1/proofs/tree/${path}`, apiKey),
  };
  let { tree, since } = stored;
  const start = last?.size ?? 0;
  for (let n = stored.opened ?? start; n < followed.position.size;) {
    const page = `${url}/v1/proofs/epochs?from=${n}&limit=${EPOCHS_PAGE}`;
    const lines = toText(await fetchFile(io, page, apiKey)).split('\n');
    const opened = lines.filter((line) => !isBlank(line)).map(parseOpenedEpoch);
    if (opened[0]?.epoch !== n) throw new UsageError(`The gateway does not show epoch ${n}.`);
    for (const one of opened.slice(0, followed.position.size - n)) {
      const entry = followed.entries[n - start]!;
      if (one.epoch !== n) throw new ProofError('epoch', `epoch ${n} is left out`);
      tree = await followTree(tree, { opened: one, entry, isLost: isLost(followed, n) }, workspace);
      if (tree !== undefined) since ??= n;
      n += 1;
    }
    // The next run reads the log again from the last position, and goes on with this epoch.
    await save({ ...stored, ...definedOf({ tree, since }), opened: n });
  }
  io.stdout(
    tree === undefined
      ? printable(`${workspaceId} has no certificate in the log`)
      : printable(`${workspaceId} has one history of ${tree.size} certificates, root ${tree.root}`),
  );
  if (since) io.stdout(`the gateway showed no certificate of it before epoch ${since}`);
  await save({ log: toJson(followed.position), ...definedOf({ tree, since }) });
  return codeOf(followed);
}

const definedOf = ({ tree, since }: State): State => ({
  ...(tree === undefined ? {} : { tree }),
  ...(since === undefined ? {} : { since }),
});

/** Returns whether the log states that an epoch was lost. The statement itself has no head. */
const isLost = ({ losses }: FollowedLog, n: number): boolean =>
  losses.some(({ first, epoch }) => n >= first && n <= epoch);
