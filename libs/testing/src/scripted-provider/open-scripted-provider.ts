import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerPong, chooseByPath, type Unscripted } from './answer-by-path.ts';
import {
  createRequestLog,
  type OpenRecord,
  type RecordedRequest,
  type RequestLog,
} from './request-log.ts';
import type { Exchange, Script } from './script.ts';

/** Settings of a scripted provider. */
export type ScriptedProviderOptions = {
  /** What calls get for which nothing was scripted; a `pong` in the path's dialect by default. */
  readonly fallback?: Script;
  /** The names that `GET /v1/models` lists. */
  readonly models?: readonly string[];
};

/** A provider of both dialects over HTTP: does what the test says, remembers what it saw. */
export type ScriptedProvider = AsyncDisposable & {
  /** For a client's base URL; ends in `/v1`. */
  readonly baseUrl: string;
  /** For clients that add `/v1` themselves, as Anthropic's own does. */
  readonly anthropicBaseUrl: string;
  readonly port: number;
  /** Every request so far, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Scripts the next POST that has no script yet; with `path`, the next request of that path. */
  readonly script: (next: Script, target?: { readonly path: string }) => void;
  /** The request with this number (from 1), as soon as its body has arrived. */
  readonly whenRequest: (number: number) => Promise<RecordedRequest>;
  /** The request with this number, once its client is gone; rejects when it was answered. */
  readonly whenAborted: (number: number) => Promise<RecordedRequest>;
};

const MAX_BODY_BYTES = 64 * 1024 * 1024;

type Planned = { readonly script: Script; readonly path?: string };

type Provider = {
  readonly log: RequestLog;
  readonly planned: Planned[];
  readonly unscripted: Unscripted;
  /** What scripts threw: shown when the provider closes. */
  readonly failures: unknown[];
  isClosing: boolean;
};

/**
 * Opens a provider of both dialects on a free port of 127.0.0.1. Scripts are used up in order,
 * one a call. `await using` closes it: open connections are destroyed, waits are rejected, and an
 * error that a script threw is thrown there.
 */
export async function openScriptedProvider(
  options: ScriptedProviderOptions = {},
): Promise<ScriptedProvider> {
  const { fallback = answerPong, models = ['scripted-model'] } = options;
  const log = createRequestLog();
  const unscripted = { fallback, models };
  const provider: Provider = { log, planned: [], unscripted, failures: [], isClosing: false };
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
    script: (script, target) => void provider.planned.push({ script, ...target }),
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
  const exchange = follow(provider, record, response);
  try {
    if (!(await receive(message, record))) return;
    provider.log.changed();
    await chooseScript(provider, record)(exchange);
  } catch (error) {
    provider.failures.push(error);
    exchange.cut();
  }
}

/** Ties the record and the exchange to the fate of the connection. */
function follow(provider: Provider, record: OpenRecord, response: ServerResponse): Exchange {
  const connection = new AbortController();
  let isCut = false;
  response.once('close', () => {
    record.closedAt = Date.now();
    record.aborted = !response.writableFinished && !isCut && !provider.isClosing;
    connection.abort();
    provider.log.changed();
  });
  const cut = (): void => {
    isCut = true;
    response.destroy();
  };
  return { request: record, response, gone: connection.signal, cut };
}

/** Reads the body into the record; false when the client went away before its end. */
async function receive(message: IncomingMessage, record: OpenRecord): Promise<boolean> {
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
    return undefined; // Recorded as bytes all the same: a test may want to see broken JSON.
  }
}

function chooseScript(provider: Provider, record: OpenRecord): Script {
  const { method, path } = record;
  const [pathname = ''] = path.split('?');
  const next = provider.planned.findIndex((planned) =>
    planned.path === undefined ? method === 'POST' : planned.path === pathname,
  );
  const [planned] = next < 0 ? [] : provider.planned.splice(next, 1);
  return planned?.script ?? chooseByPath(provider.unscripted, record);
}
