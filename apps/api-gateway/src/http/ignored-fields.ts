import type { Request, Response } from 'express';
import { toHeaderList } from './header-text.ts';

const HEADER = 'x-service-ignored-fields';
/** Clients reject headers beyond some KiB. */
const NAMED_MAX = 30;

/** RFC 7240, 4.4: `Prefer: handling=strict` requests an error for unknown fields. */
export const isStrict = (request: Request): boolean =>
  /(^|,)\s*handling\s*=\s*"?strict"?\s*(;|,|$)/i.test(request.get('prefer') ?? '');

/** Lists the ignored fields of a body in a response header. */
export const noteIgnoredFields = (response: Response, paths: readonly string[]): void => {
  if (paths.length === 0) return;
  response.setHeader(HEADER, toHeaderList(paths, NAMED_MAX));
};
