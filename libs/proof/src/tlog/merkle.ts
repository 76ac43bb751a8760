import { equalBytes, sha256 } from '../bytes.ts';

// Merkle trees of RFC 6962 section 2.1. All sizes and indexes are integers from 0 to 2^53-1.

export const HASH_BYTES = 32;

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export function leafHash(entry: string | Uint8Array): Uint8Array {
  return sha256(LEAF, entry);
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(NODE, left, right);
}

/**
 * The roots of the complete subtrees of a tree, the largest first: one for each bit that is set in
 * its size. It is all that appending needs.
 */
export type RightEdge = Uint8Array[];

/**
 * Appends a leaf to the edge of a tree of `size` leaves, and calls `onNode` for each subtree that
 * it completes, from level 1 on.
 */
export function appendLeaf(
  edge: RightEdge,
  size: number,
  leaf: Uint8Array,
  onNode?: (level: number, hash: Uint8Array) => void,
): void {
  let [hash, level] = [leaf, 0];
  for (let rest = size; rest % 2 === 1; rest = half(rest)) {
    hash = nodeHash(edge.pop()!, hash);
    level += 1;
    onNode?.(level, hash);
  }
  edge.push(hash);
}

/** Returns the root of the tree with this right edge; of no leaves, the hash of nothing. */
export function edgeRoot(edge: RightEdge): Uint8Array {
  return edge.length === 0 ? sha256() : foldRight(edge);
}

/** Returns the root of complete subtrees that stand side by side, the largest first. */
export function foldRight(hashes: readonly Uint8Array[]): Uint8Array {
  return hashes.reduceRight((right, left) => nodeHash(left, right));
}

type Inclusion = {
  index: number;
  size: number;
  leaf: Uint8Array;
  /** Sibling hashes, the leaf's first. */
  proof: readonly Uint8Array[];
};

/**
 * Returns the root of the tree of `size` leaves in which the proof places the leaf at `index`, or
 * undefined if the proof has too many or too few hashes (RFC 9162 section 2.1.3.2).
 */
export function rootOfInclusion({ index, size, leaf, proof }: Inclusion): Uint8Array | undefined {
  if (index >= size) return undefined;
  let [node, last] = [index, size - 1];
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? hash : undefined;
}

type Consistency = {
  oldSize: number;
  oldRoot: Uint8Array;
  size: number;
  root: Uint8Array;
  proof: readonly Uint8Array[];
};

/**
 * Returns whether the proof shows that the tree of `size` leaves begins with all leaves of the tree
 * of `oldSize` leaves (RFC 9162 section 2.1.4.2). Between equal sizes, and from no leaves, the
 * proof is empty.
 */
export function isConsistent({ oldSize, oldRoot, size, root, proof }: Consistency): boolean {
  if (oldSize > size) return false;
  if (oldSize === size) return proof.length === 0 && equalBytes(oldRoot, root);
  if (oldSize === 0) return proof.length === 0 && equalBytes(oldRoot, sha256());
  let [node, last] = [oldSize - 1, size - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  // If the old tree is complete, its root is a node of the new tree and the proof omits it.
  const [first, ...rest] = node === 0 ? [oldRoot, ...proof] : proof;
  if (first === undefined) return false;
  let [oldHash, hash] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      oldHash = nodeHash(sibling, oldHash);
      hash = nodeHash(sibling, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && equalBytes(oldHash, oldRoot) && equalBytes(hash, root);
}

/** The complete subtree of `2^level` leaves that begins at leaf `n * 2^level`. */
export type Subtree = { level: number; n: number };

/**
 * Returns what the inclusion proof of a leaf consists of: for each hash, the subtrees that
 * {@link foldRight} joins to it. Requires `index < size`.
 */
export function inclusionSubtrees(index: number, size: number): Subtree[][] {
  return pathTo(index, 0, size);
}

function pathTo(index: number, start: number, end: number): Subtree[][] {
  if (end - start === 1) return [];
  const middle = start + largestPowerBelow(end - start);
  return index < middle
    ? [...pathTo(index, start, middle), subtreesOf(middle, end)]
    : [...pathTo(index, middle, end), subtreesOf(start, middle)];
}

/** Returns what the consistency proof between two sizes consists of, like an inclusion proof. */
export function consistencySubtrees(oldSize: number, size: number): Subtree[][] {
  if (oldSize === 0 || oldSize >= size) return [];
  return pathFrom({ oldSize, start: 0, end: size, isOldRoot: true });
}

type OldPart = { oldSize: number; start: number; end: number; isOldRoot: boolean };

function pathFrom({ oldSize, start, end, isOldRoot }: OldPart): Subtree[][] {
  if (oldSize === end) return isOldRoot ? [] : [subtreesOf(start, end)];
  const middle = start + largestPowerBelow(end - start);
  return oldSize <= middle
    ? [...pathFrom({ oldSize, start, end: middle, isOldRoot }), subtreesOf(middle, end)]
    : [...pathFrom({ oldSize, start: middle, end, isOldRoot: false }), subtreesOf(start, middle)];
}

/** Returns the complete subtrees that cover the leaves from `start`, an index aligned to them. */
export function subtreesOf(start: number, end: number): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end;) {
    let [level, width] = [0, 1];
    while (at % (2 * width) === 0 && at + 2 * width <= end) [level, width] = [level + 1, 2 * width];
    subtrees.push({ level, n: at / width });
    at += width;
  }
  return subtrees;
}

function largestPowerBelow(count: number): number {
  let power = 1;
  while (2 * power < count) power *= 2;
  return power;
}

const half = (value: number): number => Math.floor(value / 2);
