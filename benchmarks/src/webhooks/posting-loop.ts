// Runs the reference, which sends POSTs over TLS with node:https only. Arguments: CA_FILE HOST
// PORT.
import { readFileSync } from 'node:fs';
import { Agent, request as openRequest } from 'node:https';
import { runClosedLoop } from '../load/run-closed-loop.ts';
import type { LoadResult } from '../load/run-closed-loop.ts';
import { serveProgram } from '../program/serve-program.ts';

/** Order to send `calls` POSTs of one body to one path, `inFlight` at a time. */
export type PostingCommand = {
  path: string;
  reusesConnections: boolean;
  inFlight: number;
  calls: number;
  body: string;
};

const [caFile, host, port] = process.argv.slice(2) as [string, string, string];
const ca = readFileSync(caFile);
/** As many headers as the notifier sends with a delivery, of the same length. */
const HEADERS = {
  'X-Service-Event': 'debate.synthesized',
  'X-Service-Signature': `sha256=${'0'.repeat(64)}`,
  'X-Service-Delivery': '00000000-0000-0000-0000-000000000000',
  'User-Agent': 'Service-Webhooks/1.0',
  'Content-Type': 'application/json',
  'webhook-id': 'dlv_00000000000000000000000000',
  'webhook-timestamp': '1700000000',
  'webhook-signature': `v1,${'0'.repeat(43)}=`,
  'accept-encoding': 'identity',
};

const post = (agent: Agent, path: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { ...HEADERS, 'content-length': Buffer.byteLength(body) };
    const sent = openRequest({ agent, host, port, path, method: 'POST', headers }, (answer) => {
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`answered with ${String(answer.statusCode)}`));
      });
      answer.resume();
    });
    sent.on('error', reject);
    sent.end(body);
  });

const run = async ({
  path,
  reusesConnections,
  inFlight,
  calls,
  body,
}: PostingCommand): Promise<LoadResult> => {
  // Resumes no TLS session, because the notifier resumes none, and resumed sessions would make new
  // connections cheaper than the notifier's.
  const agent = new Agent({
    keepAlive: reusesConnections,
    maxSockets: inFlight,
    maxCachedSessions: 0,
    ca,
  });
  const limits = { inFlight, maxMs: Number.POSITIVE_INFINITY, maxCalls: calls };
  try {
    return await runClosedLoop(limits, async () => {
      await post(agent, path, body);
      return undefined;
    });
  } finally {
    agent.destroy();
  }
};

serveProgram({ ready: {}, answer: run, stop: () => {} });
