// The provider of the soak test, which runs in its own process. It streams responses in both
// dialects with the timing that each request contains, and records every call. GET /soak/counts
// returns counts of calls and connections, GET /soak/calls the records.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { toChatChunks, toMessageEvents } from '@witan/testing';
import type { ReceivedCall, UpstreamCounts } from './open-provider.ts';
import { parseBody } from './soak-call.ts';
import type { Pacing } from './soak-call.ts';

const received: ReceivedCall[] = [];
let active = 0;
let sockets = 0;

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    response.destroy();
  });
});
// The server closes no idle connections, so that connections which the gateway leaves open are
// visible.
server.keepAliveTimeout = 0;
server.requestTimeout = 0;
server.on('connection', (socket) => {
  sockets += 1;
  socket.on('close', () => (sockets -= 1));
});

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === 'POST') return answerStream(request, response);
  const counts: UpstreamCounts = { active, sockets, received: received.length };
  const answers: Record<string, object> = {
    '/soak/counts': counts,
    '/soak/calls': received,
    '/v1/models': { data: [] },
  };
  const found = answers[request.url ?? ''];
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(found ?? {}));
};

const answerStream = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  let body: string;
  try {
    body = await text(request);
  } catch {
    // The gateway disconnected before it had sent the whole request, so the call is not recorded.
    return;
  }
  const { id, pacing } = parseBody(body);
  const sha256 = createHash('sha256').update(body).digest('hex');
  const call: ReceivedCall = { id, sha256, phase: 'headers', ending: 'open', endedAt: 0 };
  received.push(call);
  active += 1;
  const disconnectController = new AbortController();
  response.on('close', () => {
    active -= 1;
    call.ending = response.writableFinished ? 'complete' : 'aborted';
    call.endedAt = Date.now();
    disconnectController.abort();
  });
  try {
    await writeStream(
      response,
      { call, pacing, isMessages: request.url === '/v1/messages' },
      disconnectController,
    );
  } catch (error) {
    // The pauses between frames reject when the gateway disconnects, which is expected.
    if (!disconnectController.signal.aborted) throw error;
  }
};

type StreamOptions = { call: ReceivedCall; pacing: Pacing; isMessages: boolean };

const writeStream = async (
  response: ServerResponse,
  { call, pacing, isMessages }: StreamOptions,
  { signal }: AbortController,
): Promise<void> => {
  const { opening, texts, closing } = makeFrames(isMessages, pacing.chunks);
  const wait = (ms: number): Promise<void> => pause(ms, undefined, { signal });
  await wait(pacing.headersMs);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write(opening);
  call.phase = 'first-token';
  await wait(pacing.firstTokenMs);
  call.phase = 'stream';
  for (const frame of texts) {
    response.write(frame);
    await wait(pacing.gapMs);
  }
  response.end(closing);
};

/**
 * Returns the frames of a stream: those before the first text, one frame for each text, and those
 * after the last text.
 */
const makeFrames = (
  isMessages: boolean,
  chunks: number,
): { opening: string; texts: string[]; closing: string } => {
  const content = Array.from({ length: chunks }, (_, index) => `piece ${index} `);
  const frames = isMessages
    ? toMessageEvents({ content }).map(
        (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
      )
    : [
        ...toChatChunks({ content }, { includeUsage: true }).map((one) => JSON.stringify(one)),
        DONE,
      ].map((data) => `data: ${data}\n\n`);
  const first = frames.findIndex((frame) => frame.includes('piece 0 '));
  return {
    opening: frames.slice(0, first).join(''),
    texts: frames.slice(first, first + chunks),
    closing: frames.slice(first + chunks).join(''),
  };
};

const DONE = '[DONE]';

// Ends this process when its parent disconnects or ends.
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
