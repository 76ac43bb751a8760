import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Certificate, CertificatePayload } from '../src/certificate.ts';
import { genesisHash } from '../src/verify-chain.ts';
import { canonicalJson, commit } from '../src/commitment.ts';
import { keyIdOf, pemOf } from '../src/keys.ts';
import { sha256Hex } from '../src/bytes.ts';
import { answerNamed } from './answers.ts';
import { EMBEDDING_REQUEST, EMBEDDINGS } from './embeddings.ts';

// Test keys, certificates and a chain; deterministic. They are signed with node:crypto, so that
// tests verify them with a different implementation from the one that signed them.

/** A key pair whose seed is derived from a name; for tests only. */
export type TestKey = ReturnType<typeof testKey>;

export const WORKSPACE_ID = 'ws_01JZ8Q4T9V6W3X2Y1Z0A5B7C8D';
export const ISSUER = 'witan';
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const ROTATED_AT = '2026-03-01T00:00:00.000Z';

export function testKey(name: string, window: { notBefore: string; notAfter: string | null }) {
  const seed = Buffer.from(sha256Hex(`witan test key ${name}`), 'hex');
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  const secret = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  const raw = new Uint8Array(spki.subarray(12));
  return { secret, raw, row: { keyId: keyIdOf(raw), publicKey: pemOf(raw), ...window } };
}

export const OLD_KEY = testKey('1', {
  notBefore: '2026-01-01T00:00:00.000Z',
  notAfter: ROTATED_AT,
});
export const NEW_KEY = testKey('2', { notBefore: ROTATED_AT, notAfter: null });

export function certify(payload: unknown, key: TestKey): Certificate {
  const payload_hash = sha256Hex(canonicalJson(payload));
  const signature = sign(null, Buffer.from(payload_hash), key.secret).toString('base64');
  return { payload: payload as CertificatePayload, payload_hash, signature, algorithm: 'Ed25519' };
}

export const REQUEST_BODY =
  '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Say hi to Zoë."}],' +
  '"temperature":0.70}';

export function examplePayload(): CertificatePayload {
  return {
    v: 1,
    id: 'pf_01JZ8Q5B2N7M4K6H8G0F3D1S9A',
    issuer: ISSUER,
    issuedAt: '2026-02-14T09:30:00.125Z',
    chainIndex: 0,
    prevHash: genesisHash(ISSUER, WORKSPACE_ID),
    request: { model: 'gpt-4o-mini', sha256: commit(JSON.parse(REQUEST_BODY)) },
    address: { kind: 'model' },
    egress: {
      provider: 'openai',
      model: 'gpt-4o-mini',
      sha256: sha256Hex(REQUEST_BODY),
      pii: { masked: 0, categories: [] },
    },
    response: {
      sha256: sha256Hex(answerNamed('plain').text),
      finishReason: 'stop',
      usage: { promptTokens: 13, completionTokens: 4, totalTokens: 17 },
    },
    routing: { taskType: 'chat', reason: 'passthrough' },
  };
}

/** Returns the payload of a certificate of embeddings. */
export function embeddingPayload(): CertificatePayload {
  const example = examplePayload();
  const model = 'text-embedding-3-small';
  return {
    ...example,
    id: 'pf_01JZ8Q5B2N7M4K6H8G0F3D1S9B',
    request: { model, sha256: commit(JSON.parse(EMBEDDING_REQUEST)) },
    egress: { ...example.egress, model, sha256: sha256Hex(EMBEDDING_REQUEST) },
    response: {
      sha256: EMBEDDINGS[0]!.sha256,
      finishReason: 'stop',
      usage: { promptTokens: 5, completionTokens: 0, totalTokens: 5 },
    },
    routing: { taskType: 'embedding', reason: 'passthrough' },
  };
}

/**
 * Returns a chain of six certificates with several kinds of model address, grounding, optional
 * members and a key rotation.
 */
export function exampleChain(): Certificate[] {
  const example = examplePayload();
  const row = { source: 'Handbook', chunkId: 'c_7', page: 3, sha256: sha256Hex('Passage.') };
  const pii = { masked: 3, categories: ['EMAIL', 'PHONE'] };
  const estimated = { ...example.response.usage, estimated: true as const };
  const changes: Partial<CertificatePayload>[] = [
    {},
    {
      issuedAt: '2026-02-14T09:30:00.125Z',
      address: { kind: 'service-auto' },
      egress: { ...example.egress, pii },
      routing: { taskType: 'code', reason: 'complex' },
    },
    {
      issuedAt: '2026-02-20T00:00:00.000Z',
      address: { kind: 'agent', agent: 'zoë', sensitive: true },
      grounding: [row, { ...row, chunkId: 'c_8', page: null }],
    },
    {
      issuedAt: ROTATED_AT,
      address: { kind: 'model', knowledge: true },
      grounding: [],
      response: { ...example.response, finishReason: 'aborted', usage: estimated },
    },
    { issuedAt: '2026-03-01T00:00:00.001Z', address: { kind: 'service-sensitive' } },
    {
      issuedAt: '2026-04-01T12:00:00.000Z',
      request: { model: 'odd\u000b "name" \u2028 \u{1f600}', sha256: commit({}) },
      response: { ...example.response, sha256: commit([]), finishReason: 'lost' },
    },
  ];
  const chain: Certificate[] = [];
  for (const [chainIndex, change] of changes.entries()) {
    const prevHash = chain.at(-1)?.payload_hash ?? example.prevHash;
    const id = `${example.id}${chainIndex}`;
    const payload = { ...example, ...change, id, chainIndex, prevHash };
    chain.push(certify(payload, payload.issuedAt <= ROTATED_AT ? OLD_KEY : NEW_KEY));
  }
  return chain;
}

export function chainHeader() {
  const genesis = genesisHash(ISSUER, WORKSPACE_ID);
  return { workspaceId: WORKSPACE_ID, issuer: ISSUER, genesis, keys: [OLD_KEY.row, NEW_KEY.row] };
}

export function chainLines(): string[] {
  return [{ chain: chainHeader() }, ...exampleChain()].map((line) => JSON.stringify(line));
}
