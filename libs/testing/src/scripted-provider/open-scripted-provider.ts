import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerPong, findDefaultScript, type ScriptDefaults } from './default-script.ts';
import {
  createRequestLog,
  type MutableRecord,
  type RecordedRequest,
  type RequestLog,
} from './request-log.ts';
import type { Exchange, Script } from './script.ts';

export type ScriptedProviderOptions = {
  readonly fallback?: Script;
  readonly models?: readonly string[];
};

/** A model provider whose HTTP responses the test scripts. It records all requests. */
export type ScriptedProvider = AsyncDisposable & {
  readonly baseUrl: string;
  /** Base URL without `/v1`, because Anthropic's client appends it. */
  readonly anthropicBaseUrl: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  /**
   * Sets the script of the next POST request without a script or, with `path`, of the next request
   * to that path.
   */
  readonly script: (next: Script, target?: { readonly path: string }) => void;
  readonly whenRequest: (number: number) => Promise<RecordedRequest>;
  /**
   * Resolves when the client of the request with this number disconnects. Rejects if the response
   * was completed before that.
   */
  readonly whenAborted: (number: number) => Promise<RecordedRequest>;
};

const MAX_BODY_BYTES = 64 * 1024 * 1024;

type QueuedScript = { readonly script: Script; readonly path?: string };

type Provider = {
  readonly log: RequestLog;
  readonly queue: QueuedScript[];
  readonly defaults: ScriptDefaults;
  readonly failures: unknown[];
  isClosing: boolean;
};

/**
 * Opens a provider that serves both dialects on a free port of 127.0.0.1. Each script serves one
 * request, in order. Disposing destroys open connections, rejects pending waits and throws the
 * errors of scripts.
 */
export async function openScriptedProvider(
  options: ScriptedProviderOptions = {},
): Promise<ScriptedProvider> {
  const { fallback = answerPong, models = ['scripted-model'] } = options;
  const log = createRequestLog();
  const defaults = { fallback, models };
  const provider: Provider = { log, queue: [], defaults, failures: [], isClosing: false };
  const server = createServer((request, response) => void serve(provider, request, response));
  server.keepAliveTimeout = 0;
  await listen(server);
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    baseUrl: `${origin}/v1`,
    anthropicBaseUrl: origin,
    port,
    requests: log.requests,
    script: (script, target) => void provider.queue.push({ script, ...target }),
    whenRequest: log.whenRequest,
    whenAborted: log.whenAborted,
    [Symbol.asyncDispose]: () => close(provider, server),
  };
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}

async function close(provider: Provider, server: Server): Promise<void> {
  provider.isClosing = true;
  provider.log.close();
  const closed = new Promise((resolve) => void server.close(resolve));
  server.closeAllConnections();
  await closed;
  if (provider.failures.length > 0) {
    throw new AggregateError(provider.failures, 'A script of the scripted provider failed.');
  }
}

async function serve(
  provider: Provider,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '', headers } = message;
  const record = provider.log.add({ method, path: url, headers });
  const exchange = trackConnection(provider, record, response);
  try {
    if (!(await readBody(message, record))) return;
    provider.log.checkWaiters();
    await chooseScript(provider, record)(exchange);
  } catch (error) {
    provider.failures.push(error);
    exchange.cut();
  }
}

function trackConnection(
  provider: Provider,
  record: MutableRecord,
  response: ServerResponse,
): Exchange {
  const connection = new AbortController();
  let isCut = false;
  response.once('close', () => {
    record.closedAt = Date.now();
    record.aborted = !response.writableFinished && !isCut && !provider.isClosing;
    connection.abort();
    provider.log.checkWaiters();
  });
  const cut = (): void => {
    isCut = true;
    response.destroy();
  };
  return { request: record, response, closeSignal: connection.signal, cut };
}

async function readBody(message: IncomingMessage, record: MutableRecord): Promise<boolean> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of message as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > MAX_BODY_BYTES) throw new Error(`Body over ${MAX_BODY_BYTES} bytes.`);
      parts.push(part);
    }
  } catch (error) {
    if (message.destroyed && !message.complete && bytes <= MAX_BODY_BYTES) return false;
    throw error;
  } finally {
    record.body = Buffer.concat(parts);
  }
  record.parsed = parseJson(record.body);
  record.isComplete = true;
  return true;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined; // Not an error: the recorded bytes need not be JSON.
  }
}

function chooseScript(provider: Provider, record: MutableRecord): Script {
  const { method, path } = record;
  const [pathname = ''] = path.split('?');
  const next = provider.queue.findIndex((queued) =>
    queued.path === undefined ? method === 'POST' : queued.path === pathname,
  );
  const [queued] = next < 0 ? [] : provider.queue.splice(next, 1);
  return queued?.script ?? findDefaultScript(provider.defaults, record);
}
