import type { Response } from 'express';
import { toHeaderList } from './header-text.ts';

/** Parameters that are named: unknown names are the client's own words. */
const NAMED_MAX = 30;

/** Names the parameters of a request that its model does not take, if there are any. */
export const nameDroppedParams = (response: Response, names: readonly string[]): void => {
  if (names.length > 0) {
    response.setHeader('x-service-dropped-params', toHeaderList(names, NAMED_MAX));
  }
};
