import type { Certificate, CertificatePayload } from '../src/certificate.ts';
import type { ProofReason } from '../src/errors.ts';
import { examplePayload, NEW_KEY, OLD_KEY, certify, testKey } from './samples.ts';

export type InvalidCertificate = { name: string; reason: ProofReason; text: string };

const UNTRUSTED_KEY = testKey('stranger', {
  notBefore: '2026-01-01T00:00:00.000Z',
  notAfter: null,
});

export function invalidCertificates(): InvalidCertificate[] {
  return [...badTexts(), ...badSignatures(), ...badPayloads()];
}

function badTexts(): InvalidCertificate[] {
  const valid = JSON.stringify(certify(examplePayload(), OLD_KEY));
  const replace = (from: string | RegExp, to: string) => valid.replace(from, to);
  return [
    { name: 'cut off', reason: 'not_json', text: valid.slice(0, -1) },
    { name: 'followed by more', reason: 'not_json', text: `${valid}{}` },
    {
      name: 'a member twice with the same value',
      reason: 'duplicate_key',
      text: replace('"v":1', '"v":1,"v":1'),
    },
    {
      name: 'a member twice by an escape',
      reason: 'duplicate_key',
      text: replace('"v":1', '"\\u0076":2,"v":1'),
    },
    {
      name: 'the payload twice',
      reason: 'duplicate_key',
      text: replace('{"payload":', '{"payload":{},"payload":'),
    },
    { name: 'a byte order mark', reason: 'not_json', text: `\uFEFF${valid}` },
    { name: 'a number with a fraction', reason: 'schema', text: replace('"v":1', '"v":1.0') },
    { name: 'a number with an exponent', reason: 'schema', text: replace('"v":1', '"v":1e0') },
    { name: 'minus zero', reason: 'schema', text: replace('"masked":0', '"masked":-0') },
    { name: 'null', reason: 'schema', text: 'null' },
    { name: 'no signature', reason: 'schema', text: replace(/,"signature":"[^"]*"/, '') },
    { name: 'a member beside the format', reason: 'schema', text: replace(/}$/, ',"x":1}') },
  ];
}

function badSignatures(): InvalidCertificate[] {
  const valid = certify(examplePayload(), OLD_KEY);
  const edit = (
    name: string,
    reason: ProofReason,
    change: Partial<Record<keyof Certificate, unknown>>,
  ) => ({
    name,
    reason,
    text: JSON.stringify({ ...valid, ...change }),
  });
  const { signature, payload_hash } = valid;
  const bytes = Buffer.from(signature, 'base64');
  // S + L is equal to S modulo the group order L, so this signature is another encoding of the
  // valid one (malleability).
  const malleated = Buffer.concat([bytes.subarray(0, 32), addGroupOrder(bytes.subarray(32))]);
  return [
    edit('upper-case hash', 'schema', { payload_hash: payload_hash.toUpperCase() }),
    edit('short hash', 'schema', { payload_hash: payload_hash.slice(1) }),
    edit('algorithm in lower case', 'schema', { algorithm: 'ed25519' }),
    edit('signature without padding', 'schema', { signature: signature.replace(/=+$/, '') }),
    edit('signature in url-safe base64', 'schema', { signature: `_${signature.slice(1)}` }),
    edit('signature with spare bits', 'schema', { signature: signature.replace(/.==$/, 'h==') }),
    edit('signature too short', 'schema', { signature: bytes.subarray(1).toString('base64') }),
    edit('payload changed', 'payload_hash', {
      payload: { ...examplePayload(), chainIndex: 1 },
    }),
    edit('hash of another payload', 'payload_hash', { payload_hash: '0'.repeat(64) }),
    edit('signature of another hash', 'signature', {
      signature: certify({ ...examplePayload(), chainIndex: 1 }, OLD_KEY).signature,
    }),
    edit('signature with S beyond the group order', 'signature', {
      signature: malleated.toString('base64'),
    }),
    edit('signature by a stranger', 'signature', certify(examplePayload(), UNTRUSTED_KEY)),
    edit('signature by the key of a later window', 'signature', certify(examplePayload(), NEW_KEY)),
    edit(
      'issued before any key was in force',
      'no_key',
      certify({ ...examplePayload(), issuedAt: '2025-12-31T23:59:59.999Z' }, OLD_KEY),
    ),
  ];
}

function badPayloads(): InvalidCertificate[] {
  const example = examplePayload();
  const { request, egress, response } = example;
  const payload = (
    name: string,
    change: Partial<Record<keyof CertificatePayload | 'x', unknown>>,
  ) => ({
    name,
    reason: 'schema' as const,
    text: JSON.stringify(certify({ ...example, ...change }, OLD_KEY)),
  });
  const usage = (change: object) => ({
    response: { ...response, usage: { ...response.usage, ...change } },
  });
  const pii = (masked: unknown, categories: unknown) => ({
    egress: { ...egress, pii: { masked, categories } },
  });
  return [
    payload('version 2', { v: 2 }),
    payload('version as text', { v: '1' }),
    payload('id without prefix', { id: '01JZ8Q5B2N7M4K6H8G0F3D1S9A' }),
    payload('no issuer', { issuer: undefined }),
    payload('an unknown member', { x: 1 }),
    payload('an unknown member further in', { request: { ...request, content: 'Say hi' } }),
    payload('an instant without milliseconds', { issuedAt: '2026-02-14T09:30:00Z' }),
    payload('a day that the calendar does not have', { issuedAt: '2026-02-30T09:30:00.000Z' }),
    payload('a negative index', { chainIndex: -1 }),
    payload('a broken index', { chainIndex: 0.5 }),
    payload('a short prevHash', { prevHash: 'ab' }),
    payload('an upper-case hash', {
      request: { ...request, sha256: request.sha256.toUpperCase() },
    }),
    payload('an unknown kind of address', { address: { kind: 'debate' } }),
    payload('an agent without its slug', { address: { kind: 'agent' }, grounding: [] }),
    payload('a slug without an agent', { address: { kind: 'model', agent: 'zoë' } }),
    payload('knowledge false', { address: { kind: 'model', knowledge: false } }),
    payload('grounding on a plain call', { grounding: [] }),
    payload('no grounding on a grounded call', { address: { kind: 'model', knowledge: true } }),
    payload('a passage without a page', {
      address: { kind: 'model', knowledge: true },
      grounding: [{ source: 's', chunkId: 'c', sha256: request.sha256 }],
    }),
    payload('an empty issuer', { issuer: '' }),
    payload('an issuer of two lines', { issuer: 'wi\ntan' }),
    payload('an empty requested model', { request: { ...request, model: '' } }),
    payload('an empty model', { egress: { ...egress, model: '' } }),
    payload('a model of two lines', { egress: { ...egress, model: 'gpt\n4' } }),
    payload('an empty provider', { egress: { ...egress, provider: '' } }),
    payload('an empty agent', { address: { kind: 'agent', agent: '' }, grounding: [] }),
    payload('an empty source', {
      address: { kind: 'model', knowledge: true },
      grounding: [{ source: '', chunkId: 'c', page: 1, sha256: request.sha256 }],
    }),
    payload('an instant of the year 0', { issuedAt: '0000-02-14T09:30:00.000Z' }),
    payload('masked values without a category', pii(5, [])),
    payload('a category without masked values', pii(0, ['EMAIL'])),
    payload('more categories than masked values', pii(1, ['EMAIL', 'PHONE'])),
    payload('an empty category', pii(1, [''])),
    payload('masked as text', pii('0', [])),
    payload('categories out of order', pii(2, ['PHONE', 'EMAIL'])),
    payload('a category twice', pii(2, ['EMAIL', 'EMAIL'])),
    payload('an unknown finish reason', { response: { ...response, finishReason: 'done' } }),
    payload('estimated false', usage({ estimated: false })),
    payload('a negative count of tokens', usage({ totalTokens: -1 })),
    payload('an unknown task', { routing: { taskType: 'poetry', reason: 'passthrough' } }),
    payload('an unknown routing reason', { routing: { taskType: 'chat', reason: 'mood' } }),
  ];
}

function addGroupOrder(scalar: Buffer): Buffer {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const value = BigInt(`0x${Buffer.from(scalar.toReversed()).toString('hex')}`) + order;
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}
