import type { Response } from 'express';
import { notFound } from '@witan/contracts';

export const TILE_TYPE = 'application/octet-stream';
export const NOTE_TYPE = 'text/plain; charset=utf-8';

/** Documentation of a response with a tile, and of one with a signed note. */
export const TILE_RESPONSE = {
  description: 'Hashes of 32 bytes, or entries that each have 2 bytes of length before them',
  contentType: TILE_TYPE,
  schema: { description: 'Bytes' },
} as const;
export const NOTE_RESPONSE = {
  description: 'A signed note (c2sp.org/tlog-checkpoint)',
  contentType: 'text/plain',
  schema: { type: 'string' },
} as const;

/** A tile of the public log never changes. Those of workspaces have the default, `no-store`. */
export const PUBLIC_TILE_CACHING = 'public, max-age=31536000, immutable';

export const sendBytes = (
  response: Response,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
): undefined => {
  response.status(200);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(bytes);
};

/**
 * Returns the path of a tile, which begins with `tile/`, from the path of a request. It is taken as
 * it was sent, because a tile has one spelling. Throws NOT_FOUND for a path that is too long.
 */
export const readTilePath = (requestPath: string, prefix: string): string => {
  const path = requestPath.slice(prefix.length);
  if (path.length > PATH_LENGTH_MAX) throw notFound('The log has no such tile.');
  return path;
};

const PATH_LENGTH_MAX = 100;
