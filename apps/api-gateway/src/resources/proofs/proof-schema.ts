import type { JsonSchema } from '../../http/route.ts';
import { closedObject } from '../closed-object.ts';
import { ADDRESS_KINDS, FINISH_REASONS, ROUTING_REASONS, TASK_TYPES } from '@witan/proof';

const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const hash: JsonSchema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const instant: JsonSchema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT[0-9:.]{12}Z$' };

const UNINSPECTED =
  'Media, which are not read, and values that were found and left, because only their own form ' +
  'is accepted where they stand; absent when there were none';

export const CERTIFICATE: JsonSchema = closedObject({
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

const check = closedObject({ ok: { type: 'boolean' } }, { detail: text });

export const VERIFICATION: JsonSchema = closedObject({
  valid: { type: 'boolean' },
  certificateId: text,
  checks: closedObject({ payloadHash: check, signature: check, chain: check }),
  keyId: text,
  verifiedAt: instant,
});

const key = closedObject({
  keyId: text,
  publicKey: text,
  notBefore: instant,
  notAfter: { anyOf: [instant, { type: 'null' }] },
});

export const CHAIN_HEADER: JsonSchema = closedObject({
  workspaceId: text,
  issuer: text,
  genesis: hash,
  keys: { type: 'array', items: key },
});

export const PUBLIC_KEY: JsonSchema = closedObject({
  algorithm: { const: 'Ed25519' },
  keyId: text,
  publicKey: text,
  publicKeyRaw: text,
  keys: { type: 'array', items: key },
});
