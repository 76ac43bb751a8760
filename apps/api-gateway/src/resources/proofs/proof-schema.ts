import { ADDRESS_KINDS, FINISH_REASONS, ROUTING_REASONS, TASK_TYPES } from '@witan/proof';
import { closedObject, count, flag, instant, text } from '../../http/schema.ts';

const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;

const UNINSPECTED =
  'Media, which are not read, and values that were found and left, because only their own form ' +
  'is accepted where they stand; absent when there were none';

export const CERTIFICATE = closedObject({
  payload: closedObject(
    {
      v: { const: 1 },
      id: { type: 'string', pattern: '^pf_' },
      issuer: text,
      issuedAt: instant,
      chainIndex: count,
      prevHash: hash,
      request: closedObject({ model: text, sha256: hash }),
      address: closedObject(
        { kind: { enum: ADDRESS_KINDS } },
        { agent: text, knowledge: { const: true }, sensitive: { const: true } },
      ),
      egress: closedObject({
        provider: text,
        model: text,
        sha256: hash,
        pii: closedObject(
          { masked: count, categories: { type: 'array', items: text } },
          { uninspected: { type: 'integer', minimum: 1, description: UNINSPECTED } },
        ),
      }),
      response: closedObject({
        sha256: hash,
        finishReason: { enum: FINISH_REASONS },
        usage: closedObject(
          { promptTokens: count, completionTokens: count, totalTokens: count },
          { estimated: { const: true } },
        ),
      }),
      routing: closedObject({ taskType: { enum: TASK_TYPES }, reason: { enum: ROUTING_REASONS } }),
    },
    {
      grounding: {
        type: 'array',
        items: closedObject({
          source: { ...text, description: 'Id of the source' },
          chunkId: text,
          page: { type: ['integer', 'null'] },
          sha256: hash,
        }),
      },
    },
  ),
  payload_hash: hash,
  signature: text,
  algorithm: { const: 'Ed25519' },
});

export const CURSOR = {
  type: 'string',
  pattern: '^\\d{0,15}$',
  description: '`nextCursor` of the page before; empty: from the beginning',
} as const;

const check = closedObject({ ok: flag }, { detail: text });

export const VERIFICATION = closedObject({
  valid: flag,
  certificateId: text,
  checks: closedObject({ payloadHash: check, signature: check, chain: check }),
  keyId: text,
  verifiedAt: instant,
});

export const SIGNING_KEY = closedObject({
  keyId: text,
  publicKey: text,
  notBefore: instant,
  notAfter: { anyOf: [instant, { type: 'null' }] },
});

export const CHAIN_HEADER = closedObject({
  workspaceId: text,
  issuer: text,
  genesis: hash,
  keys: { type: 'array', items: SIGNING_KEY },
});

export const PUBLIC_KEY = closedObject({
  algorithm: { const: 'Ed25519' },
  keyId: text,
  publicKey: text,
  publicKeyRaw: text,
  keys: { type: 'array', items: SIGNING_KEY },
});

export const BUNDLE = closedObject({
  witanBundle: { const: 1 },
  certificate: CERTIFICATE,
  workspaceId: text,
  tree: {
    ...text,
    description: 'The certificate in the tree of its workspace (c2sp.org/tlog-proof)',
  },
  map: {
    ...closedObject({ salt: text, path: text }),
    description: 'The head of the tree in the map of the epoch: salt and sibling hashes, in base64',
  },
  log: { ...text, description: 'The epoch in the log, and a checkpoint (c2sp.org/tlog-proof)' },
  keys: {
    type: 'array',
    items: SIGNING_KEY,
    description: 'The certificate keys that the epoch commits to',
  },
});
