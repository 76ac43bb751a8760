import type { Tile } from '@witan/proof/tlog/tile';
import type { Published } from './publish.ts';
import { readTile } from './read-tile.ts';
import type { TileSource } from './read-tile.ts';

/** The published checkpoint for callers without credentials, who must cost little. */
export type PublishedCache = {
  /**
   * Returns a checkpoint that was the published one at most PUBLISHED_MAX_AGE_MS ago; undefined
   * only if there is none now.
   */
  find: () => Promise<Published | undefined>;
  /** Returns the published checkpoint. Concurrent calls share one read of the database. */
  findNewest: () => Promise<Published | undefined>;
};

/** Age that `cache-control` of the checkpoint allows, too. */
export const PUBLISHED_MAX_AGE_MS = 1_000;

export const createPublishedCache = (
  read: () => Promise<Published | undefined>,
  now: () => number,
): PublishedCache => {
  let known: { published: Published | undefined; at: number } | undefined;
  let reading: Promise<Published | undefined> | undefined;
  const readOnce = async (): Promise<Published | undefined> => {
    try {
      const at = now();
      const published = await read();
      known = { published, at };
      return published;
    } finally {
      reading = undefined;
    }
  };
  const findNewest = (): Promise<Published | undefined> => (reading ??= readOnce());
  return {
    findNewest,
    find: async () => {
      const ageMs = known?.published ? now() - known.at : Infinity;
      // The clock may be set back.
      const isFresh = ageMs >= 0 && ageMs < PUBLISHED_MAX_AGE_MS;
      return known && isFresh ? known.published : await findNewest();
    },
  };
};

/**
 * Returns the bytes of a tile of the published log; undefined if it does not have it. A tile of a
 * checkpoint that another replica has just published is found, too.
 */
export const readPublicTile = async (
  published: PublishedCache,
  tiles: TileSource,
  tile: Tile,
): Promise<Uint8Array | undefined> => {
  const known = await published.find();
  const bytes = known && (await readTile(tiles, tile, known.size));
  if (bytes) return bytes;
  const newest = await published.findNewest();
  return newest && (await readTile(tiles, tile, newest.size));
};
