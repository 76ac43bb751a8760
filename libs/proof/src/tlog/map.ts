import { bytesToHex } from '@noble/hashes/utils.js';
import { encodeUint64, equalBytes, hmacSha256, sha256 } from '../bytes.ts';
import { ProofError } from '../errors.ts';
import { formatCheckpoint } from './checkpoint.ts';
import { HASH_BYTES } from './merkle.ts';

// The map of an epoch: a binary trie with exactly one value for a key, the head of the tree of one
// workspace. Bit d of a key, from the top of its first byte, chooses the side at depth d. A subtree
// with one key is its leaf, an empty one is 32 zero bytes.

const LEAF = Uint8Array.of(2);
const NODE = Uint8Array.of(3);
const EMPTY = new Uint8Array(HASH_BYTES);
/** The number of bits of a key. */
export const MAX_MAP_DEPTH = 256;

/** Returns the key of a workspace in the map of each epoch. */
export function mapKeyOf(issuer: string, workspaceId: string): Uint8Array {
  return sha256(`witan-map-key/v1\n${issuer}\n${workspaceId}`);
}

/** Returns the origin of the tree of a workspace, a part of the origin of the log. */
export function treeOriginOf(origin: string, mapKey: Uint8Array): string {
  return `${origin}/tree/${bytesToHex(mapKey)}`;
}

type TreeHead = { origin: string; mapKey: Uint8Array; size: number; root: Uint8Array };

/** Returns the text of the head of a workspace's tree, which the log signs and the map hashes. */
export function treeHeadText({ origin, mapKey, size, root }: TreeHead): string {
  return formatCheckpoint({ origin: treeOriginOf(origin, mapKey), size, root });
}

/**
 * Returns the salt of a head in an epoch. `secret` is that of the workspace: without it, values of
 * different epochs cannot be linked.
 */
export function headSalt(secret: Uint8Array, epoch: number): Uint8Array {
  return hmacSha256(secret, 'witan-head-salt/v1\n', encodeUint64(epoch));
}

export function mapValue(salt: Uint8Array, headText: string): Uint8Array {
  return sha256('witan-head/v1\n', salt, headText);
}

export type MapEntry = { key: Uint8Array; value: Uint8Array };

/** Returns entry `i` that fills a small map, whose size then does not show its number of keys. */
export function fillerEntry(secret: Uint8Array, i: number, epoch: number): MapEntry {
  return {
    key: hmacSha256(secret, 'witan-filler-key/v1\n', encodeUint64(i)),
    value: hmacSha256(secret, 'witan-filler/v1\n', encodeUint64(i), encodeUint64(epoch)),
  };
}

export type MapProofs = {
  root: Uint8Array;
  /** The sibling hashes of the entries asked for, the leaf's first, in the order of `entries`. */
  paths: Uint8Array[][];
};

/**
 * Returns the root of a map and the paths of the entries with the positions `wanted`. Throws
 * RangeError if a key is repeated.
 */
export function buildMap(entries: readonly MapEntry[], wanted: readonly number[]): MapProofs {
  const paths = pathsOf(entries, wanted);
  return { root: buildPart(entries, 0, paths), paths: [...paths.values()] };
}

/** Number of entries that {@link buildMapInSlices} hashes without a pause, which takes some ms. */
const SLICE = 1_024;

/** As {@link buildMap}, with pauses, so as not to block other work. */
export async function buildMapInSlices(
  entries: readonly MapEntry[],
  wanted: readonly number[],
  pause: () => Promise<void>,
): Promise<MapProofs> {
  const paths = pathsOf(entries, wanted);
  const build = async (part: readonly MapEntry[], depth: number): Promise<Uint8Array> => {
    if (part.length <= SLICE || depth === MAX_MAP_DEPTH) return buildPart(part, depth, paths);
    const halves = split(part, depth);
    await pause();
    const left = await build(halves[0], depth + 1);
    await pause();
    const right = await build(halves[1], depth + 1);
    return join(halves, [left, right], paths);
  };
  return { root: await build(entries, 0), paths: [...paths.values()] };
}

/** Sibling hashes of entries, the leaf's first. */
type Paths = Map<MapEntry, Uint8Array[]>;
type Halves = readonly [MapEntry[], MapEntry[]];

/** Returns an empty path of each wanted entry, in their order. */
function pathsOf(entries: readonly MapEntry[], wanted: readonly number[]): Paths {
  return new Map(wanted.map((position) => [entries[position]!, []]));
}

/** Returns the root of the subtree at a depth, and adds its hashes to the paths. */
function buildPart(part: readonly MapEntry[], depth: number, paths: Paths): Uint8Array {
  if (part.length === 0) return EMPTY;
  if (part.length === 1) return mapLeaf(part[0]!);
  if (depth === MAX_MAP_DEPTH) throw new RangeError('A map has a key twice.');
  const halves = split(part, depth);
  const left = buildPart(halves[0], depth + 1, paths);
  return join(halves, [left, buildPart(halves[1], depth + 1, paths)], paths);
}

function split(part: readonly MapEntry[], depth: number): Halves {
  const halves: Halves = [[], []];
  for (const entry of part) halves[bitAt(entry.key, depth) === 0 ? 0 : 1].push(entry);
  return halves;
}

function join(
  [left, right]: Halves,
  [leftHash, rightHash]: readonly [Uint8Array, Uint8Array],
  paths: Paths,
): Uint8Array {
  for (const entry of left) paths.get(entry)?.push(rightHash);
  for (const entry of right) paths.get(entry)?.push(leftHash);
  return mapNode(leftHash, rightHash);
}

/**
 * Returns the root of the map in which `path` leads to the entry. Throws ProofError `epoch` if the
 * sibling of the leaf is empty: the leaf would then stand one level higher.
 */
export function rootOfMapEntry(entry: MapEntry, path: readonly Uint8Array[]): Uint8Array {
  if (path[0] !== undefined && equalBytes(path[0], EMPTY)) {
    throw new ProofError('epoch', 'the sibling of the leaf is empty, which no map has');
  }
  return path.reduce(
    (hash, sibling, i) =>
      bitAt(entry.key, path.length - 1 - i) === 0 ? mapNode(hash, sibling) : mapNode(sibling, hash),
    mapLeaf(entry),
  );
}

const mapLeaf = ({ key, value }: MapEntry): Uint8Array => sha256(LEAF, key, value);
const mapNode = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(NODE, left, right);
const bitAt = (key: Uint8Array, depth: number): number =>
  (key[Math.floor(depth / 8)]! >> (7 - (depth % 8))) & 1;
