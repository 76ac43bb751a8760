import type { Request, Response } from 'express';
import { toHeaderList } from './header-text.ts';

const HEADER = 'x-service-ignored-fields';
/** Fields that are named: clients refuse headers beyond some KiB. */
const NAMED_MAX = 30;

/** RFC 7240 4.4: the client would rather be refused than be ignored in part. */
export const isStrict = (request: Request): boolean =>
  /(^|,)\s*handling\s*=\s*"?strict"?\s*(;|,|$)/i.test(request.get('prefer') ?? '');

/** Names the fields of a body that were passed over (decisions.md, Conventions). */
export const noteIgnoredFields = (response: Response, paths: readonly string[]): void => {
  if (paths.length === 0) return;
  response.setHeader(HEADER, toHeaderList(paths, NAMED_MAX));
};
