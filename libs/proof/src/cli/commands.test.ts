import { describe, expect, it } from '@jest/globals';
import { vectorText } from '../../test/vector-file.ts';
import { certify, exampleChain, examplePayload, OLD_KEY } from '../../vectors/samples.ts';
import type { CommandIo, FetchOptions } from './command-io.ts';
import { printable } from './command-io.ts';
import { runVerifyChain } from './verify-chain.ts';
import { runVerify } from './verify.ts';

const KEYS_URL = 'https://gateway.test/v1/gateway/public-key';
const CHAIN_URL = 'https://gateway.test/v1/proofs/export';
const NAMES = [
  'certificate.json',
  'public-key.json',
  'public-key.pem',
  'request.json',
  'response.json',
  'response.txt',
  'message.json',
  'message.txt',
  'embedding-certificate.json',
  'embedding-request.json',
  'embedding.json',
  'chain.ndjson',
  'chain.json',
];

function createFakeIo(extra: Record<string, string | Uint8Array> = {}) {
  const out: string[] = [];
  const errors: string[] = [];
  const requests: { url: string; headers: FetchOptions['headers'] }[] = [];
  const files = new Map<string, string | Uint8Array>(
    NAMES.map((name) => [name, vectorText(name)] as const),
  );
  for (const [name, content] of Object.entries(extra)) files.set(name, content);

  async function* read(name: string) {
    const content = files.get(name);
    if (content === undefined) throw new Error(`no such file: ${name}`);
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    // Yields small chunks, so that reads also end in the middle of lines.
    for (let offset = 0; offset < bytes.length; offset += 100)
      yield bytes.subarray(offset, offset + 100);
  }
  const pages = new Map([
    [KEYS_URL, 'public-key.json'],
    [CHAIN_URL, 'chain.ndjson'],
  ]);
  const io: CommandIo = {
    stdout: (line) => void out.push(line),
    stderr: (line) => void errors.push(line),
    readFile: read,
    fetch: async (url, { headers }) => {
      requests.push({ url, headers });
      const name = pages.get(url);
      if (name === undefined) return { ok: false, status: 404, body: null };
      return { ok: true, status: 200, body: read(name) };
    },
  };
  return { io, out, errors, requests };
}

const changedCertificate = vectorText('certificate.json').replace(
  '"promptTokens":13',
  '"promptTokens":12',
);

describe('witan verify', () => {
  const allOptions = ['--public-key', 'public-key.json', '--request', 'request.json', '--response'];

  const savedAnswers = ['response.json', 'response.txt', 'message.json', 'message.txt'];

  it.each(savedAnswers)('reports all checks as passed with %s', async (response) => {
    const { io, out } = createFakeIo();
    expect(await runVerify(['certificate.json', ...allOptions, response], io)).toBe(0);
    expect(out).toEqual([
      'pf_01JZ8Q5B2N7M4K6H8G0F3D1S9A of witan, 2026-02-14T09:30:00.125Z: ' +
        'asked for gpt-4o-mini, served by gpt-4o-mini of openai, ended with stop',
      'schema        ok',
      'payload hash  ok',
      expect.stringMatching(/^signature {5}ok {6}key [0-9a-f]{16}$/),
      'request       ok',
      'response      ok      text, tool calls, finish reason, usage',
      expect.stringMatching(/^not covered {11}.*role/),
      'valid',
    ]);
  });

  it('does not decide about a part of an answer that the client aborted', async () => {
    const { response, ...payload } = examplePayload();
    const aborted = certify(
      { ...payload, response: { ...response, finishReason: 'aborted' } },
      OLD_KEY,
    );
    const stream = vectorText('response.txt');
    const delivered = stream.slice(0, stream.indexOf('data: {"choices":[{"index":0,"delta":{},'));
    const { io, out } = createFakeIo({
      'aborted.json': JSON.stringify(aborted),
      'delivered.txt': delivered,
      'part.txt': delivered.slice(0, delivered.indexOf('data: {', 120)),
      'whole.txt': stream.replace('Hi Zo', 'Ho Zo'),
    });
    const verify = (file: string, ...more: string[]) =>
      runVerify(
        ['aborted.json', '--public-key', 'public-key.json', '--response', file, ...more],
        io,
      );
    expect(await verify('delivered.txt')).toBe(0);
    expect(await verify('part.txt')).toBe(3);
    expect(out.at(-1)).toMatch(/^UNDECIDED: response: the client left .* cannot be compared$/);
    expect(await verify('part.txt', '--json')).toBe(3);
    expect(JSON.parse(out.at(-1)!)).toMatchObject({ valid: false, undecided: true });
    expect(await verify('whole.txt')).toBe(1);
  });

  it('verifies request and response of embeddings', async () => {
    const { io, out } = createFakeIo();
    const files = ['--request', 'embedding-request.json', '--response', 'embedding.json'];
    const argv = ['embedding-certificate.json', '--public-key', 'public-key.json', ...files];
    expect(await runVerify(argv, io)).toBe(0);
    expect(out.slice(-4)).toEqual([
      'request       ok',
      'response      ok      vectors, usage, model',
      'not covered           nothing else in the answer',
      'valid',
    ]);
  });

  it('prints the failed check and the reason', async () => {
    const { io, out } = createFakeIo({ changed: changedCertificate });
    expect(await runVerify(['changed', '--public-key', 'public-key.pem'], io)).toBe(1);
    expect(out[2]).toBe('payload hash  FAILED  the payload is not the one that was hashed');
    expect(out.at(-1)).toMatch(/^INVALID: payload hash: the payload hashes to [0-9a-f]{64}, not /);
  });

  it('skips the other checks if the schema is wrong', async () => {
    const { io, out } = createFakeIo({ changed: '{"payload":{}}' });
    const argv = ['changed', '--public-key', 'public-key.pem', '--request', 'request.json'];
    expect(await runVerify(argv, io)).toBe(1);
    expect(out.filter((line) => line.endsWith('not checked'))).toHaveLength(3);
    expect(out.at(-1)).toBe('INVALID: schema: payload.v is missing');
  });

  it.each([
    ['another request', '--request', '{"model":"gpt-4o-mini"}', 'request'],
    ['a request that is not JSON', '--request', 'model=gpt', 'not_json'],
    ['another answer', '--response', '{"choices":[]}', 'response'],
    ['an answer in an unknown format', '--response', '<html>', 'answer'],
  ])('refuses %s', async (_name, option, text, reason) => {
    const { io, out } = createFakeIo({ content: text });
    const argv = [
      'certificate.json',
      '--public-key',
      'public-key.pem',
      option,
      'content',
      '--json',
    ];
    expect(await runVerify(argv, io)).toBe(1);
    const { valid, checks } = JSON.parse(out.join('')) as {
      valid: boolean;
      checks: Record<string, unknown>;
    };
    expect(valid).toBe(false);
    expect(checks).toMatchObject({
      signature: { ok: true },
      [option.slice(2)]: { ok: false, reason },
    });
  });

  it('fetches only a public key given as URL', async () => {
    const { io, requests } = createFakeIo();
    expect(await runVerify(['certificate.json', '--public-key', KEYS_URL], io)).toBe(0);
    expect(requests).toEqual([{ url: KEYS_URL, headers: {} }]);
  });

  it.each([
    ['as text', [], 'not covered           nothing else in the answer'],
    ['as JSON', ['--json'], '"compared":["text","tool calls"],"notCovered":[]'],
  ])('prints %s that everything in the answer is covered', async (_name, more, output) => {
    const { io, out } = createFakeIo({ answer: '{"content":"Hi Zoë! 👋"}' });
    const argv = ['certificate.json', '--public-key', 'public-key.pem', '--response', 'answer'];
    expect(await runVerify([...argv, ...more], io)).toBe(0);
    expect(out.join('\n')).toContain(output);
  });

  it('escapes control characters in member names of an answer', async () => {
    const answer = '{"content":"Hi Zoë! 👋","\\u001b[2J":1}';
    const { io, out } = createFakeIo({ answer });
    const argv = ['certificate.json', '--public-key', 'public-key.pem', '--response', 'answer'];
    expect(await runVerify(argv, io)).toBe(0);
    expect(out.at(-2)).toBe('not covered           \\u{1b}[2J');
  });

  it('compares the model with the given one', async () => {
    const answer = vectorText('response.json').replace('{', '{"model":"our-deployment",');
    const { io } = createFakeIo({ answer });
    const argv = ['certificate.json', '--public-key', 'public-key.pem', '--response', 'answer'];
    expect(await runVerify(argv, io)).toBe(1);
    expect(await runVerify([...argv, '--model', 'our-deployment'], io)).toBe(0);
  });

  it('prints one JSON object with --json', async () => {
    const { io, out } = createFakeIo();
    const argv = ['certificate.json', '--public-key', 'public-key.pem', '--json'];
    expect(await runVerify(argv, io)).toBe(0);
    expect(JSON.parse(out.join(''))).toEqual({
      valid: true,
      certificateId: 'pf_01JZ8Q5B2N7M4K6H8G0F3D1S9A',
      keyId: expect.stringMatching(/^[0-9a-f]{16}$/),
      checks: { schema: { ok: true }, payloadHash: { ok: true }, signature: { ok: true } },
    });
  });

  it.each([
    ['no file', [], 'Name the file'],
    ['no public key', ['certificate.json'], '--public-key'],
    ['an unknown option', ['certificate.json', '--key', 'x'], '--key'],
    ['two files', ['a', 'b'], 'b is too much'],
    ['a missing file', ['gone', '--public-key', 'public-key.pem'], 'gone'],
    ['a missing key', ['certificate.json', '--public-key', 'gone'], 'gone'],
    ['a file without a key', ['certificate.json', '--public-key', 'request.json'], 'No public key'],
    [
      'a URL that returns 404',
      ['certificate.json', '--public-key', 'http://x.test/'],
      'status 404',
    ],
  ])('reports %s as wrong usage', async (_name, argv, message) => {
    const { io, out, errors } = createFakeIo();
    expect(await runVerify(argv, io)).toBe(2);
    expect(errors.join('\n')).toContain(message);
    expect(errors.join('\n')).toContain('Usage: witan verify');
    expect(out).toEqual([]);
  });
});

describe('witan verify-chain', () => {
  it.each(['chain.ndjson', 'chain.json'])('verifies %s', async (file) => {
    const { io, out } = createFakeIo();
    const argv = [file, '--public-key', 'public-key.json', '--expect-count', '6'];
    expect(await runVerifyChain(argv, io)).toBe(0);
    expect(out).toEqual([
      `chain of ws_01JZ8Q4T9V6W3X2Y1Z0A5B7C8D by witan: 6 certificates, index 0 to 5, ` +
        `head ${exampleChain()[5]?.payload_hash}`,
      'keys: the ones given',
      'valid',
    ]);
  });

  it('prints what it cannot verify', async () => {
    const { io, out } = createFakeIo();
    expect(await runVerifyChain(['chain.ndjson'], io)).toBe(0);
    expect(out[1]).toContain('not who signed it');
    expect(out[2]).toContain('cannot be noticed');
    expect(out[3]).toBe('valid');
  });

  it('sends the API key as a bearer token with the chain request only', async () => {
    const { io, requests } = createFakeIo();
    const argv = [CHAIN_URL, '--api-key', 'sk_live_x', '--public-key', KEYS_URL];
    expect(await runVerifyChain(argv, io)).toBe(0);
    expect(requests).toEqual([
      { url: KEYS_URL, headers: {} },
      { url: CHAIN_URL, headers: { authorization: 'Bearer sk_live_x' } },
    ]);
  });

  it('prints the first bad index', async () => {
    const lines = vectorText('chain.ndjson').split('\n');
    const { io, out } = createFakeIo({ holed: lines.toSpliced(3, 1).join('\n') });
    expect(await runVerifyChain(['holed'], io)).toBe(1);
    expect(out).toEqual([
      'FAILED at index 2: a certificate is missing from the chain',
      'INVALID: hole at index 2: the next certificate has chainIndex 3',
    ]);
  });

  it.each([
    ['a chain that is too short', ['chain.ndjson', '--expect-count', '7'], 'truncated'],
    [
      'a head that is not in the chain',
      ['chain.json', '--expect-head', '0'.repeat(64)],
      'truncated',
    ],
    ['an empty file', ['empty'], 'chain_header'],
    ['a file that is not an export', ['request.json'], 'chain_header'],
    ['a line that is not UTF-8', ['latin'], 'not_json'],
  ])('refuses %s', async (_name, argv, reason) => {
    const latin = Buffer.from(vectorText('chain.ndjson').replace('"zoë"', '"zo\u00ff"'), 'latin1');
    const { io, out } = createFakeIo({ empty: '', latin });
    expect(await runVerifyChain([...argv, '--json'], io)).toBe(1);
    expect(JSON.parse(out.join(''))).toMatchObject({ valid: false, reason });
  });

  it.each([
    ['no file', []],
    ['a count that is not a number', ['chain.ndjson', '--expect-count', '-1']],
    ['a head that is not a hash', ['chain.ndjson', '--expect-head', 'x']],
    ['a URL that returns an error', ['https://gateway.test/other']],
  ])('reports %s as wrong usage', async (_name, argv) => {
    const { io, errors } = createFakeIo();
    expect(await runVerifyChain(argv, io)).toBe(2);
    expect(errors.join('\n')).toContain('Usage: witan verify-chain');
  });
});

describe('printable', () => {
  it('escapes characters that move the cursor or reorder the line', () => {
    expect(printable('a\u001b[2J\n\u202eë😀\ud800')).toBe(
      String.raw`a\u{1b}[2J\u{a}\u{202e}ë😀\u{d800}`,
    );
  });
});
