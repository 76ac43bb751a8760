// SECRET=whsec_... PORT=9000 node receiver.ts
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isFromWitan } from './is-from-witan.ts';

const { SECRET = '', PORT = '9000' } = process.env;
const BODY_BYTES_MAX = 1024 * 1024;

const receive = async (request: IncomingMessage, response: ServerResponse) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > BODY_BYTES_MAX) return response.writeHead(413).end();
    chunks.push(chunk as Buffer);
  }
  const body = Buffer.concat(chunks);
  const signature = String(request.headers['x-service-signature']);
  if (!isFromWitan(body, signature, SECRET)) return response.writeHead(401).end();
  // Respond first: a response that takes more than 10 s counts as a failure.
  response.writeHead(204).end();
  const { event, data } = JSON.parse(body.toString()) as { event: string; data: object };
  console.log(event, JSON.stringify(data));
};

createServer((request, response) => {
  // The client disconnected before its request was complete.
  receive(request, response).catch(() => response.destroy());
}).listen(Number(PORT), () => console.log('listening'));
