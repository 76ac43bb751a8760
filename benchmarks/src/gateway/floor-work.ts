// Runs the reference system `floor-work`: the pipe with the least work that an attested gateway
// cannot avoid. It parses the request, searches its texts with six patterns, hashes request and
// response, and signs both hashes before the response ends.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../program/serve-program.ts';
import { serveForwarder, toEndToEndHeaders } from './serve-forwarder.ts';
import type { OpenUpstream } from './serve-forwarder.ts';

/** Email address, phone number, card number, IBAN, IPv4 address, secret key. */
const PATTERNS: readonly RegExp[] = [
  /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g,
  /\+\d{1,3}(?:[ -]?\d{2,4}){2,5}/g,
  /\b(?:\d[ -]?){13,19}\b/g,
  /\b[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){2,7}/g,
  /\b(?:\d{1,3}\.){3}\d{1,3}\b/g,
  /\b(?:sk|pk|whsec)[-_][\w-]{16,}/g,
];

const { privateKey } = generateKeyPairSync('ed25519');

/** Returns the number of matches in all strings of a JSON value. */
const countMatches = (value: unknown): number => {
  if (typeof value === 'string') {
    return PATTERNS.reduce((sum, pattern) => sum + (value.match(pattern)?.length ?? 0), 0);
  }
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + countMatches(member), 0);
};

const forward = (
  openUpstream: OpenUpstream,
  { request, body }: { request: IncomingMessage; body: Buffer },
  response: ServerResponse,
): void => {
  const matches = countMatches(JSON.parse(body.toString()));
  const requestHash = createHash('sha256').update(body).digest('hex');
  const upstream = openUpstream(request, (answer) => {
    const responseHash = createHash('sha256');
    response.writeHead(answer.statusCode ?? 502, toEndToEndHeaders(answer));
    answer.on('data', (chunk: Buffer) => responseHash.update(chunk));
    answer.pipe(response, { end: false });
    answer.on('end', () => {
      const statement = `${requestHash} ${responseHash.digest('hex')} ${matches}`;
      sign(null, Buffer.from(statement), privateKey);
      response.end();
    });
  });
  upstream.on('error', () => response.destroy());
  upstream.end(body);
};

serveForwarder((openUpstream) => (request, response) => {
  readBody(request, (body) => forward(openUpstream, { request, body }, response));
});
