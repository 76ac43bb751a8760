import type { Response } from 'express';
import { toHeaderList } from './header-text.ts';

/**
 * Maximum number of dropped parameters listed in the header, because the client decides how many
 * there are.
 */
const LISTED_MAX = 30;

export const setDroppedParamsHeader = (response: Response, names: readonly string[]): void => {
  if (names.length > 0) {
    response.setHeader('x-service-dropped-params', toHeaderList(names, LISTED_MAX));
  }
};
