// Receives webhooks over TLS and records them. Arguments: CERT_FILE KEY_FILE.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monotonicMs } from '../load/latency-summary.ts';
import { serveProgram } from '../program/serve-program.ts';
import { findSignatureError } from './find-signature-error.ts';
import type { Sample } from './find-signature-error.ts';

/** A recorded POST; `atMs` is its time on the clock of `monotonicMs`. */
export type Arrival = { path: string; delivery: string; attempt: string; atMs: number };

/**
 * `setSecrets` sets the webhooks' secrets by URL path. `await` resolves when `arrivals` POSTs have
 * arrived since the last report, and rejects after `timeoutMs`. `report` returns the recorded
 * POSTs, verifies the signatures of a sample, and clears POSTs and sample.
 */
export type ReceiverCommand =
  | { kind: 'setSecrets'; secrets: Readonly<Record<string, string>> }
  | { kind: 'await'; arrivals: number; timeoutMs: number }
  | { kind: 'report' };

export type ReceiverReport = {
  arrivals: readonly Arrival[];
  /** Number of connections opened since the last report. */
  connections: number;
  /** Number of POSTs whose signatures were verified. */
  verifiedSamples: number;
  errors: readonly string[];
};

const [certFile, keyFile] = process.argv.slice(2) as [string, string];
const HOST = 'localhost';
/** Paths with this prefix are answered with `Connection: close`. */
const FRESH_PATH_PREFIX = '/fresh/';
/** One of this many POSTs is stored with its body, to verify its signatures. */
const SAMPLE_EVERY = 16;
const KEEP_ALIVE_MS = 120_000;
const RESPONSE_BODY = Buffer.from('{"received":true}');

const secrets = new Map<string, string>();
let arrivals: Arrival[] = [];
let samples: { path: string; sample: Sample }[] = [];
let connections = 0;
let onArrival = (): void => {};

const receive = (request: IncomingMessage, response: ServerResponse): void => {
  const atMs = monotonicMs();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', () => {
    const { headers, url: path = '' } = request;
    const delivery = String(headers['webhook-id']);
    const attempt = String(headers['x-service-delivery']);
    if (arrivals.length % SAMPLE_EVERY === 0 && secrets.has(path)) {
      samples.push({ path, sample: { headers, body: Buffer.concat(chunks) } });
    }
    arrivals.push({ path, delivery, attempt, atMs });
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': RESPONSE_BODY.length,
      ...(path.startsWith(FRESH_PATH_PREFIX) ? { connection: 'close' } : {}),
    });
    response.end(RESPONSE_BODY);
    onArrival();
  });
};

const whenArrived = (count: number, timeoutMs: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`Only ${arrivals.length} of ${count} POSTs came in ${timeoutMs} ms.`));
    }, timeoutMs);
    onArrival = () => {
      if (arrivals.length < count) return;
      clearTimeout(timer);
      onArrival = () => {};
      resolve(arrivals.length);
    };
    onArrival();
  });

const report = (): ReceiverReport => {
  const errors = samples.flatMap(({ path, sample }) => {
    const error = findSignatureError(sample, secrets.get(path)!);
    return error ? [`${path}: ${error}`] : [];
  });
  const all = { arrivals, connections, verifiedSamples: samples.length, errors };
  arrivals = [];
  samples = [];
  connections = 0;
  return all;
};

const answer = async (order: ReceiverCommand): Promise<ReceiverReport | number> => {
  if (order.kind === 'await') return whenArrived(order.arrivals, order.timeoutMs);
  if (order.kind === 'report') return report();
  for (const [path, secret] of Object.entries(order.secrets)) secrets.set(path, secret);
  return secrets.size;
};

const server = createServer(
  { cert: readFileSync(certFile), key: readFileSync(keyFile), keepAliveTimeout: KEEP_ALIVE_MS },
  receive,
);
server.on('secureConnection', () => {
  connections += 1;
});
server.listen(0, HOST, () => {
  const { port } = server.address() as AddressInfo;
  serveProgram({
    ready: { host: HOST, port },
    answer,
    stop: () => server.closeAllConnections(),
  });
});
