import type { Request, Response } from 'express';
import { toHeaderList } from './header-text.ts';

const HEADER = 'x-service-ignored-fields';
/** Maximum number of listed fields, because clients reject headers of more than a few KiB. */
const LISTED_MAX = 30;

/**
 * Returns whether the client wants unknown fields to be errors, which it requests with `Prefer:
 * handling=strict` (RFC 7240 section 4.4).
 */
export const isStrict = (request: Request): boolean =>
  /(^|,)\s*handling\s*=\s*"?strict"?\s*(;|,|$)/i.test(request.get('prefer') ?? '');

export const setIgnoredFieldsHeader = (response: Response, paths: readonly string[]): void => {
  if (paths.length === 0) return;
  response.setHeader(HEADER, toHeaderList(paths, LISTED_MAX));
};
