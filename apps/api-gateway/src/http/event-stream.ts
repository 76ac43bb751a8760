import type { Response } from 'express';

/**
 * A comment of an event stream, which clients ignore. Writing it flushes the headers and prevents
 * idle timeouts.
 */
export const COMMENT = ':\n\n';

export const setEventStreamHeaders = (response: Response): void => {
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('x-accel-buffering', 'no');
};

export const toEventFrame = (event: string, data: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
