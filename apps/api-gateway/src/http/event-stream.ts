import type { Response } from 'express';

/**
 * A comment of a stream, which clients ignore. It flushes the headers and keeps the connection
 * alive.
 */
export const COMMENT = ':\n\n';

export const setEventStreamHeaders = (response: Response): void => {
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('x-accel-buffering', 'no');
};

export const toEventFrame = (event: string, data: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
