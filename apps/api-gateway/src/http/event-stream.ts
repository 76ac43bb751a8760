import type { Response } from 'express';

/** A comment, which clients pass over: it carries the headers out, or shows that we are there. */
export const COMMENT = ':\n\n';

/** Says that the answer is a stream of events, which nobody on the way may hold back. */
export const nameEventStream = (response: Response): void => {
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('x-accel-buffering', 'no');
};

/** One event; its client comes back with the id of the last one that it got. */
export const toEventFrame = (event: string, data: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
