// A model provider on bare node:http that answers at once, so that what is measured is not it.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveProgram } from '../program/serve-program.ts';
import { makeAnswer, makeFrames } from './chat-traffic.ts';

/** Longer than any pause between two calls on one connection, in milliseconds. */
const KEEP_ALIVE_MS = 120_000;
const ANSWER = Buffer.from(makeAnswer());
const FRAMES = makeFrames().map((frame) => Buffer.from(frame));

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (Buffer.concat(chunks).includes('"stream":true')) stream(response);
    else answer(response);
  });
});

const answer = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
  response.end(ANSWER);
};

/** A frame for each event-loop turn: as many socket writes as frames, without any pacing. */
const stream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  let next = 0;
  const writeNext = (): void => {
    response.write(FRAMES[next]!);
    next += 1;
    if (next < FRAMES.length) setImmediate(writeNext);
    else response.end();
  };
  writeNext();
};

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  serveProgram({
    ready: { url: `http://127.0.0.1:${port}` },
    stop: () => server.closeAllConnections(),
  });
});
