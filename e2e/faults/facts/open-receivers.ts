import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type Post = {
  /** Name of the event, read from the webhook's body. */
  name: string;
  /** Value of the header `webhook-id`, which is equal in all attempts of a delivery. */
  deliveryId: string;
  /** Value of the header `X-Service-Delivery`, which is unique for each attempt. */
  attemptId: string;
  /** Whether the signature of the raw bytes is valid for the webhook's secret. */
  isSigned: boolean;
  arrivedAt: number;
  /** Time at which the response was sent, in milliseconds since the epoch; 0 if there was none. */
  answeredAt: number;
};

/** How to respond to a POST: with `status` after `afterMs()` milliseconds; `hang`: never. */
export type ResponseMode = { status: number; afterMs: () => number } | 'hang';

/** An HTTP server on loopback that receives webhooks under several paths and records every POST. */
export type Receivers = {
  urlOf: (path: string) => string;
  /** Sets how a path responds. By default it responds with 200 immediately. */
  setMode: (path: string, mode: ResponseMode) => void;
  /** Sets the secret with which signatures of POSTs to this path are verified. */
  setSecret: (path: string, secret: string) => void;
  postsTo: (path: string) => readonly Post[];
  /** Resolves when the next POST has arrived completely, before its response is sent. */
  whenReceived: () => Promise<void>;
  close: () => Promise<void>;
};

export const openReceivers = async (): Promise<Receivers> => {
  const posts = new Map<string, Post[]>();
  const modes = new Map<string, ResponseMode>();
  const secrets = new Map<string, string>();
  const waiting: (() => void)[] = [];
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const post = readPost(request, Buffer.concat(chunks), secrets.get(path) ?? '');
    posts.set(path, [...(posts.get(path) ?? []), post]);
    for (const wake of waiting.splice(0)) wake();
    const mode = modes.get(path) ?? { status: 200, afterMs: () => 0 };
    if (mode === 'hang') return;
    const waitMs = mode.afterMs();
    if (waitMs > 0) await pause(waitMs);
    post.answeredAt = Date.now();
    response.writeHead(mode.status).end();
  };
  const server = createServer((request, response) => {
    // A killed sender may leave an incomplete request; such requests are not recorded.
    onRequest(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (path) => `http://127.0.0.1:${port}${path}`,
    setMode: (path, mode) => void modes.set(path, mode),
    setSecret: (path, secret) => void secrets.set(path, secret),
    postsTo: (path) => posts.get(path) ?? [],
    whenReceived: () => new Promise((resolve) => waiting.push(resolve)),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const readPost = ({ headers }: IncomingMessage, body: Buffer, secret: string): Post => {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const { data } = JSON.parse(body.toString()) as { data: { simulationId: string } };
  return {
    name: data.simulationId,
    deliveryId: String(headers['webhook-id']),
    attemptId: String(headers['x-service-delivery']),
    isSigned: headers['x-service-signature'] === signature,
    arrivedAt: Date.now(),
    answeredAt: 0,
  };
};
