// Runs the system `floor`: what a certified completion must do, as one function, and nothing else.
// It has no errors, refusals, fallbacks, agents, row-level security or metering, so it is a bound
// and no gateway. Arguments: PROVIDER_URL NUMBER_OF_PIECES DATABASE_URL. Without its last pieces
// it shows, by the difference, what each piece costs.
import { isUtf8 } from 'node:buffer';
import { hash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDetector, createMasker, createScanCache } from '@witan/privacy';
import { commit, commitAnswer, createChatAnswer, createSseSplitter } from '@witan/proof';
import { createLog, newId } from '@witan/service-kit';
import { Counter, Histogram, Registry } from 'prom-client';
import { Pool } from 'undici';
import { KEEP_ALIVE_MS, readBody, serveProgram } from '../../program/serve-program.ts';
import { createSigner, openFloorLedger } from './floor-ledger.ts';
import { PIECE_NAMES } from './pieces.ts';
import type { Piece } from './pieces.ts';

const [providerUrl, pieces, databaseUrl] = process.argv.slice(2);
const has = (piece: Piece): boolean => PIECE_NAMES.indexOf(piece) < Number(pieces);

type Body = { model: string; messages: { role: string }[] };
type Draft = { id: string; members: object };

const MODEL = /^[\w.:/@-]{1,200}$/;
const CONNECTIONS_MAX = 256;
const CACHE_BYTES = 32 << 20;
const TOKENS_MAX = 1e9;
const TOKENS_PER_MS = 1e3;
const DONE = 'data: [DONE]';
const PATH = '/v1/chat/completions';
const UPSTREAM_HEADERS = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };

const provider = new Pool(providerUrl!, { connections: CONNECTIONS_MAX });
const write = has('reserve') ? await openFloorLedger(databaseUrl!) : () => {};
const certify = createSigner();
const log = createLog({ service: 'floor', level: 'info' });
const maskingKey = randomBytes(32);
const detect = createScanCache({
  bytesMax: CACHE_BYTES,
  hash: (text) => hash('sha256', text, 'base64'),
}).wrap('floor', createDetector());
const buckets = new Map<string, { tokens: number; at: number }>();

const registers = [new Registry()];
const counter = (name: string) =>
  new Counter({ name, help: name, labelNames: ['status'], registers }).labels('200');
const histogram = (name: string) => new Histogram({ name, help: name, registers });
const counters = [counter('requests'), counter('tokens'), counter('completions')];
const histograms = [histogram('seconds'), histogram('provider_seconds')];

/** Takes one token of the key's rate limit. */
const admit = (authorization: string): void => {
  const digest = hash('sha256', authorization, 'base64');
  const bucket = buckets.get(digest) ?? { tokens: TOKENS_MAX, at: 0 };
  const now = performance.now();
  bucket.tokens = Math.min(TOKENS_MAX, bucket.tokens + (now - bucket.at) * TOKENS_PER_MS) - 1;
  bucket.at = now;
  buckets.set(digest, bucket);
};

const parseBody = (source: Buffer): Body => {
  if (!isUtf8(source)) throw new Error('not UTF-8');
  return JSON.parse(source.toString()) as Body;
};

const validate = ({ model, messages }: Body): void => {
  const isValid = MODEL.test(model) && messages.every(({ role }) => typeof role === 'string');
  if (!isValid) throw new Error('invalid request');
};

const mask = (source: Buffer): Buffer => {
  const masker = createMasker({ key: maskingKey, detect });
  const text = masker.maskJsonText(source.toString());
  return masker.table.size > 0 ? Buffer.from(text) : source;
};

const draft = (body: Body, bytes: Buffer): Draft => {
  const id = newId('pf');
  const egress = { provider: 'openai', model: body.model, sha256: hash('sha256', bytes) };
  const request = { model: body.model, sha256: commit(body) };
  return { id, members: { v: 1, id, issuer: 'floor', request, egress } };
};

const handle = (source: Buffer, authorization: string, response: ServerResponse): void => {
  const startedAt = performance.now();
  const body = has('parse') ? parseBody(source) : undefined;
  if (has('key')) admit(authorization);
  if (has('validate')) validate(body!);
  const bytes = has('mask') ? mask(source) : source;
  const drafted = has('certify') ? draft(body!, bytes) : undefined;
  const onEnd = (): void => {
    const ms = performance.now() - startedAt;
    if (has('log')) {
      const fields = { event: 'completion', proofId: drafted?.id, model: body?.model };
      log.info({ ...fields, status: 200, durationMs: Math.round(ms) }, 'Completion');
    }
    if (!has('metrics')) return;
    for (const one of counters) one.inc();
    for (const one of histograms) one.observe(ms / 1_000);
  };
  const send = (): void => relay(bytes, drafted, response, onEnd);
  if (!has('reserve')) send();
  else write({ id: drafted!.id, intent: JSON.stringify(drafted!.members), onDurable: send });
};

/** Sends the request, and passes the response on up to the bytes that wait for the certificate. */
const relay = (
  bytes: Buffer,
  drafted: Draft | undefined,
  response: ServerResponse,
  onEnd: () => void,
): void => {
  const answer = createChatAnswer();
  const splitter = createSseSplitter();
  const withheld: Buffer[] = [];
  let isStream = false;
  const takeFrames = (chunk: Buffer): void => {
    if (has('parse')) {
      for (const { data } of splitter.push(chunk)) {
        if (data !== undefined && data !== '[DONE]') answer.chunk(JSON.parse(data));
      }
    }
    const doneAt = withheld.length > 0 ? 0 : chunk.lastIndexOf(DONE);
    if (doneAt !== 0) response.write(doneAt < 0 ? chunk : chunk.subarray(0, doneAt));
    if (doneAt >= 0) withheld.push(chunk.subarray(doneAt));
  };
  const finish = (): void => {
    const last = Buffer.concat(withheld);
    if (has('parse') && !isStream) answer.body(JSON.parse(last.toString()));
    const respond = (): void => {
      if (!isStream) {
        const proof = drafted && { 'x-service-proof': drafted.id };
        const type = 'application/json';
        response.writeHead(200, { 'content-type': type, 'content-length': last.length, ...proof });
      }
      response.end(last);
      onEnd();
    };
    if (drafted === undefined) {
      respond();
      return;
    }
    const payload = { ...drafted.members, response: { sha256: commitAnswer(answer.choices()) } };
    if (has('append')) write({ id: drafted.id, payload, onDurable: respond });
    else {
      certify(payload);
      respond();
    }
  };
  provider.dispatch(
    { path: PATH, method: 'POST', headers: UPSTREAM_HEADERS, body: bytes },
    {
      onRequestStart: () => {},
      onResponseStart: (_controller, status, { 'content-type': type }) => {
        isStream = String(type).startsWith('text/event-stream');
        if (isStream) response.writeHead(status, { 'content-type': String(type) });
      },
      onResponseData: (_controller, chunk) => {
        if (isStream) takeFrames(chunk);
        else withheld.push(chunk);
      },
      onResponseEnd: finish,
      onResponseError: () => void response.destroy(),
    },
  );
};

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  readBody(request, (body) => handle(body, request.headers.authorization ?? '', response));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  serveProgram({ ready: { url }, stop: () => server.closeAllConnections() });
});
