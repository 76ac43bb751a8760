import type { Response } from 'express';
import type { Reply } from '../http/route.ts';

/** Sends the reply of a handler, with `application/json` unless the handler set another type. */
export const sendReply = (response: Response, reply: Reply): void => {
  response.status(reply.status);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  if ('json' in reply) {
    response.json(reply.json);
    return;
  }
  if (!('text' in reply)) {
    response.end();
    return;
  }
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json');
  response.end(reply.text);
};
