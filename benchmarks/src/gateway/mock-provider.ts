// Runs a fake model provider on bare node:http that speaks both dialects. It answers immediately,
// or at a realistic pace if the model's name contains PACED_MARK.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveProgram } from '../program/serve-program.ts';
import { makeAnswers, PACED_FIRST_MS, PACED_GAP_MS, PACED_MARK } from './mock-answers.ts';
import { TRAFFIC } from './traffic/traffic.ts';

/** Longer than any pause between two calls of the benchmark, so that connections stay open. */
const KEEP_ALIVE_MS = 120_000;
const ANSWERS = { chat: makeAnswers('chat'), messages: makeAnswers('messages') };

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  const { plain, stream, pacedStream } =
    request.url === TRAFFIC.messages.path ? ANSWERS.messages : ANSWERS.chat;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    if (!body.includes('"stream":true')) answer(response, plain);
    else if (body.includes(PACED_MARK)) streamPaced(response, pacedStream);
    else streamWithoutDelay(response, stream);
  });
});

const answer = (response: ServerResponse, body: Buffer): void => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
};

const STREAM_HEAD = { 'content-type': 'text/event-stream; charset=utf-8' };

/**
 * Writes one frame per event-loop iteration without further delay, so that each is a separate
 * socket write.
 */
const streamWithoutDelay = (response: ServerResponse, frames: readonly Buffer[]): void => {
  response.writeHead(200, STREAM_HEAD);
  let next = 0;
  const writeNext = (): void => {
    response.write(frames[next]!);
    next += 1;
    if (next < frames.length) setImmediate(writeNext);
    else response.end();
  };
  writeNext();
};

/**
 * Writes each chunk at a fixed time after the start, so that a late chunk does not delay the next
 * ones.
 */
const streamPaced = (response: ServerResponse, pieces: readonly Buffer[]): void => {
  const firstAt = performance.now() + PACED_FIRST_MS;
  let next = 0;
  const waitForNext = (): void => {
    const waitMs = firstAt + next * PACED_GAP_MS - performance.now();
    setTimeout(writeNext, Math.max(0, Math.ceil(waitMs)));
  };
  const writeNext = (): void => {
    if (next === 0) response.writeHead(200, STREAM_HEAD);
    response.write(pieces[next]!);
    next += 1;
    if (next < pieces.length) waitForNext();
    else response.end();
  };
  waitForNext();
};

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  serveProgram({
    ready: { url: `http://127.0.0.1:${port}` },
    stop: () => server.closeAllConnections(),
  });
});
