import type { Stretch } from './find-pattern.ts';

/**
 * A tree of all terms with the links of Aho and Corasick, so that any number is found in one
 * pass.
 */
type Node = { next: Map<number, Node>; fail: Node | undefined; lengths: number[] };

export type FoundTerm = Stretch & { index: number };

/**
 * Finds terms as whole words, whatever the case, in time linear in the text. `index` is the term's.
 */
export function createTermFinder(terms: readonly string[]): (text: string) => FoundTerm[] {
  const root = createNode();
  const indexByTerm = new Map<string, number>();
  for (const [index, term] of terms.entries()) {
    // A letter and its accent may be one character of a text or two.
    for (const form of [term, term.normalize('NFC'), term.normalize('NFD')]) {
      const folded = foldUnits(form);
      if (folded.length === 0 || indexByTerm.has(folded)) continue;
      indexByTerm.set(folded, index);
      addTerm(root, folded);
    }
  }
  linkFailures(root);
  if (indexByTerm.size === 0) return () => [];
  return (text) => {
    const folded = foldUnits(text);
    return findWhole(root, folded).map((one) => ({
      ...one,
      index: indexByTerm.get(folded.slice(one.start, one.end)) ?? 0,
    }));
  };
}

/** Lower case, unit by unit, so that offsets stay: a letter whose lower case is longer stays. */
function foldUnits(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, at) => {
    const one = text.charAt(at).toLowerCase();
    return one.length === 1 ? one : text.charAt(at);
  }).join('');
}

function createNode(): Node {
  return { next: new Map(), fail: undefined, lengths: [] };
}

function addTerm(root: Node, term: string): void {
  let node = root;
  for (let at = 0; at < term.length; at += 1) {
    const unit = term.charCodeAt(at);
    const child = node.next.get(unit) ?? createNode();
    node.next.set(unit, child);
    node = child;
  }
  node.lengths.push(term.length);
}

function linkFailures(root: Node): void {
  const open: Node[] = [root];
  for (const node of open) {
    for (const [unit, child] of node.next) {
      let fail = node.fail;
      while (fail !== undefined && !fail.next.has(unit)) fail = fail.fail;
      child.fail = fail?.next.get(unit) ?? root;
      child.lengths.push(...child.fail.lengths);
      open.push(child);
    }
  }
}

function findWhole(root: Node, text: string): Stretch[] {
  const found: Stretch[] = [];
  let node = root;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    let from: Node | undefined = node;
    while (from !== undefined && !from.next.has(unit)) from = from.fail;
    node = from?.next.get(unit) ?? root;
    // Asked first, because terms that end alike would all be looked at inside every long word.
    if (node.lengths.length === 0 || isInside(text, at + 1)) continue;
    for (const length of node.lengths) {
      const start = at + 1 - length;
      if (!isInside(text, start)) found.push({ start, end: at + 1 });
    }
  }
  return found;
}

const WORD_UNIT = /[\p{L}\p{M}\p{N}_]/u;

/** Whether a word goes on at `at`. An end of a term that is punctuation needs no boundary. */
function isInside(text: string, at: number): boolean {
  return (
    at > 0 &&
    at < text.length &&
    WORD_UNIT.test(text.charAt(at - 1)) &&
    WORD_UNIT.test(text.charAt(at))
  );
}
