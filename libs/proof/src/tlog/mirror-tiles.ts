import { joinEntries } from './entry-bundle.ts';
import { appendLeaf, leafHash } from './merkle.ts';
import type { RightEdge } from './merkle.ts';
import { tilePath, TILE_WIDTH } from './tile.ts';
import { joinBytes, toUtf8 } from '../bytes.ts';

/** The tiles at the right edge of a log that are not full: of entries, and of hashes by level. */
export type OpenTiles = { entries: string[]; hashes: Uint8Array[][] };

export type MirrorFile = { path: string; bytes: Uint8Array };

/** Number of levels of a tree that a tile spans. */
const TILE_HEIGHT = 8;

/**
 * Returns the files of a log that verified entries change, and its open tiles after them. Tiles are
 * computed from the entries, so that a mirror has only what was verified.
 */
export function mirrorTiles(
  { size, edge, open }: { size: number; edge: RightEdge; open: OpenTiles },
  entries: readonly string[],
): { files: MirrorFile[]; open: OpenTiles } {
  const files: MirrorFile[] = [];
  const texts = [...open.entries];
  const hashes = open.hashes.map((row) => [...row]);
  const numbers = new Map<number | 'entries', number>();
  const numberOf = (level: number | 'entries'): number => {
    const span = TILE_WIDTH ** (level === 'entries' ? 1 : level + 1);
    return numbers.get(level) ?? Math.floor(size / span);
  };
  const write = (level: number | 'entries', width: number, bytes: Uint8Array): void => {
    const n = numberOf(level);
    files.push({ path: tilePath({ level, n, width }), bytes });
    if (width === TILE_WIDTH) numbers.set(level, n + 1);
  };
  const add = (level: number, hash: Uint8Array): void => {
    const row = (hashes[level] ??= []);
    row.push(hash);
    if (row.length < TILE_WIDTH) return;
    write(level, TILE_WIDTH, joinBytes(row));
    row.length = 0;
  };
  const joinTexts = (): Uint8Array => joinEntries(texts.map(toUtf8));
  const rightEdge = [...edge];
  for (const [i, entry] of entries.entries()) {
    texts.push(entry);
    if (texts.length === TILE_WIDTH) {
      write('entries', TILE_WIDTH, joinTexts());
      texts.length = 0;
    }
    const leaf = leafHash(entry);
    add(0, leaf);
    appendLeaf(rightEdge, size + i, leaf, (level, hash) => {
      if (level % TILE_HEIGHT === 0) add(level / TILE_HEIGHT, hash);
    });
  }
  if (entries.length > 0) {
    if (texts.length > 0) write('entries', texts.length, joinTexts());
    for (const [level, row] of hashes.entries()) {
      if (row.length > 0) write(level, row.length, joinBytes(row));
    }
  }
  return { files, open: { entries: texts, hashes } };
}
