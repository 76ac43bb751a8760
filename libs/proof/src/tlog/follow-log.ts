import { decodeBase64, encodeBase64, equalBytes, fromUtf8, joinBytes } from '../bytes.ts';
import { ProofError } from '../errors.ts';
import { keyRows } from '../keys.ts';
import { closedObject, count, mismatch, text } from '../shape.ts';
import { parseStrictJson } from '../strict-json.ts';
import { epochEntry, isEpochEntry, mapPath, mapPathOf, salt } from './bundle.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { splitEntries } from './entry-bundle.ts';
import { parseLoss } from './loss.ts';
import type { Loss } from './loss.ts';
import { mapKeyOf, mapValue, rootOfMapEntry, treeOriginOf } from './map.ts';
import { appendLeaf, consistencySubtrees, edgeRoot, isConsistent, leafHash } from './merkle.ts';
import { createNoteKey, parseNote, verifyNote } from './note.ts';
import type { NoteKey } from './note.ts';
import type { Policy } from './policy.ts';
import { hashesFromTiles, TILE_WIDTH, tileHashes, tilePath, tileWidth } from './tile.ts';
import { verifyCheckpointText } from './verify-bundle.ts';
import type { VerifiedCheckpoint } from './verify-bundle.ts';

/** What a monitor stores of a log between two runs: its last checkpoint, and its right edge. */
export type LogPosition = { note: string; size: number; edge: Uint8Array };

/** Resolves with the file of a log at a path below its URL, such as `checkpoint`. */
export type FetchFile = (path: string) => Promise<Uint8Array>;

export type FollowedLog = {
  position: LogPosition;
  checkpoint: VerifiedCheckpoint;
  /** Entries since the last position. */
  entries: string[];
  /** Losses that these entries state; `epoch` is the index of the entry. */
  losses: (Loss & { epoch: number })[];
};

/**
 * Reads a log on from the last position. Verifies its checkpoint under the policy, that it has the
 * last position's epochs unchanged, that its entries give its root, and that each is an epoch or a
 * loss. Throws ProofError, `epoch` if the log is not an extension: then the two checkpoints prove
 * that there are two logs.
 */
export async function followLog(
  last: LogPosition | undefined,
  policy: Policy,
  fetchFile: FetchFile,
): Promise<FollowedLog> {
  const note = toText(await fetchFile('checkpoint'));
  const checkpoint = verifyCheckpointText(note, policy);
  const { size, root, origin } = checkpoint;
  const from = last?.size ?? 0;
  if (last !== undefined && parseCheckpoint(parseNote(last.note).text).origin !== origin) {
    throw new ProofError('unknown_log', `the log is ${origin}, and was another one before`);
  }
  // A cache may serve an older checkpoint, which is no error if the next one extends both.
  if (size < from) throw new ProofError('epoch', `the log has ${size} epochs and had ${from}`);
  const edge = last === undefined ? [] : tileHashes(last.edge);
  const entries: string[] = [];
  for (let n = Math.floor(from / TILE_WIDTH); n * TILE_WIDTH < size; n += 1) {
    const tile = { level: 'entries' as const, n };
    const path = tilePath({ ...tile, width: tileWidth(tile, size) });
    const known = Math.max(0, from - n * TILE_WIDTH);
    for (const entry of splitEntries(await fetchFile(path)).slice(known)) {
      appendLeaf(edge, from + entries.length, leafHash(entry));
      entries.push(toText(entry));
    }
  }
  if (from + entries.length !== size || !equalBytes(edgeRoot(edge), root)) {
    throw new ProofError('epoch', `the entries of ${size} epochs do not give the signed root`);
  }
  const losses = entries.flatMap((entry, i) => {
    const n = from + i;
    const loss = parseLoss(entry, n);
    if (loss) return [{ ...loss, epoch: n }];
    if (isEpochEntry(entry)) return [];
    throw new ProofError('epoch', `entry ${n} is neither an epoch nor a loss of earlier ones`);
  });
  return { position: { note, size, edge: joinBytes(edge) }, checkpoint, entries, losses };
}

/** The tree of a workspace as it was in the last epoch that was followed. */
export type TreePosition = { size: number; root: string };

const openedEpochShape = closedObject(
  { epoch: count, entry: text, keys: keyRows },
  { treeHead: text, salt, path: mapPath },
);

/**
 * An epoch as `GET /v1/proofs/epochs` lists it; binary members are base64. The optional members are
 * there together, or none of them.
 */
export type OpenedEpoch = ReturnType<typeof openedEpochShape>;

/** Parses a line of `GET /v1/proofs/epochs`. Throws ProofError for an invalid form. */
export function parseOpenedEpoch(line: string): OpenedEpoch {
  const opened = openedEpochShape(parseStrictJson(line), 'epoch');
  const parts = [opened.treeHead, opened.salt, opened.path].filter((part) => part !== undefined);
  if (parts.length === 0 || parts.length === 3) return opened;
  throw mismatch('epoch', 'with treeHead, salt and path, or without all three');
}

export type FollowedWorkspace = {
  issuer: string;
  workspaceId: string;
  /** Keys of the log, under its own name. */
  logKeys: readonly NoteKey[];
  origin: string;
  fetchTreeFile: FetchFile;
};

/**
 * Verifies that an epoch has the workspace's tree, signed, and that the tree extends the last one.
 * `entry` is the entry of that epoch in the log; a lost epoch has no head that can be shown. Throws
 * ProofError `epoch`, `tree_head` and `tree`.
 */
export async function followTree(
  last: TreePosition | undefined,
  { opened, entry, isLost }: { opened: OpenedEpoch; entry: string; isLost: boolean },
  workspace: FollowedWorkspace,
): Promise<TreePosition | undefined> {
  const { epoch, treeHead, salt: headSalt, path } = opened;
  if (opened.entry !== entry) {
    throw new ProofError('epoch', `epoch ${epoch} is shown with another entry than the log has`);
  }
  if (treeHead === undefined || headSalt === undefined || path === undefined) {
    if (last === undefined || isLost) return last;
    throw new ProofError('epoch', `epoch ${epoch} does not have the workspace`);
  }
  const mapKey = mapKeyOf(workspace.issuer, workspace.workspaceId);
  const head = verifyTreeHead(treeHead, mapKey, workspace);
  const value = mapValue(decodeBase64(headSalt)!, parseNote(treeHead).text);
  const mapRoot = rootOfMapEntry({ key: mapKey, value }, mapPathOf(path));
  if (epochEntry(mapRoot, opened.keys) !== entry) {
    throw new ProofError('epoch', `epoch ${epoch} does not have this head of the workspace`);
  }
  await verifyTreeGrowth(last, head, { epoch, workspace });
  return { size: head.size, root: encodeBase64(head.root) };
}

function verifyTreeHead(
  treeHead: string,
  mapKey: Uint8Array,
  { logKeys, origin, issuer, workspaceId }: FollowedWorkspace,
) {
  const name = treeOriginOf(origin, mapKey);
  const note = parseNote(treeHead);
  const keys = logKeys.map(({ type, key }) => createNoteKey({ name, type, key }));
  const head = parseCheckpoint(note.text);
  if (head.origin !== name || verifyNote(note, keys).length === 0) {
    const detail = `the log did not sign this head for ${workspaceId} of the issuer ${issuer}`;
    throw new ProofError('tree_head', detail);
  }
  return head;
}

async function verifyTreeGrowth(
  last: TreePosition | undefined,
  head: { size: number; root: Uint8Array },
  { epoch, workspace }: { epoch: number; workspace: FollowedWorkspace },
): Promise<void> {
  if (last === undefined) return;
  const { size, root } = head;
  const proof = await hashesFromTiles(consistencySubtrees(last.size, size), size, (tile) =>
    workspace.fetchTreeFile(tilePath(tile)),
  );
  const oldRoot = decodeBase64(last.root) ?? new Uint8Array();
  if (isConsistent({ oldSize: last.size, oldRoot, size, root, proof })) return;
  const detail = `the ${size} certificates of epoch ${epoch} do not extend the last ${last.size}`;
  throw new ProofError('tree', detail);
}

function toText(bytes: Uint8Array): string {
  const decoded = fromUtf8(bytes);
  if (decoded === undefined) throw new ProofError('note', 'a file of the log is not UTF-8');
  return decoded;
}
