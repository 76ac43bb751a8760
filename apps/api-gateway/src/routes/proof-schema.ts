import type { JsonSchema } from '../http/route.ts';
import { ADDRESS_KINDS, FINISH_REASONS, ROUTING_REASONS, TASK_TYPES } from '@witan/proof';

const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const hash: JsonSchema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const instant: JsonSchema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT[0-9:.]{12}Z$' };

const closed = (
  properties: Record<string, JsonSchema>,
  optional: Record<string, JsonSchema> = {},
): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties: { ...properties, ...optional },
});

/** A certificate (Seed 2.12). */
export const CERTIFICATE: JsonSchema = closed({
  payload: closed(
    {
      v: { const: 1 },
      id: { type: 'string', pattern: '^pf_' },
      issuer: text,
      issuedAt: instant,
      chainIndex: count,
      prevHash: hash,
      request: closed({ model: text, sha256: hash }),
      address: closed(
        { kind: { enum: ADDRESS_KINDS } },
        { agent: text, knowledge: { const: true }, sensitive: { const: true } },
      ),
      egress: closed({
        provider: text,
        model: text,
        sha256: hash,
        pii: closed({ masked: count, categories: { type: 'array', items: text } }),
      }),
      response: closed({
        sha256: hash,
        finishReason: { enum: FINISH_REASONS },
        usage: closed(
          { promptTokens: count, completionTokens: count, totalTokens: count },
          { estimated: { const: true } },
        ),
      }),
      routing: closed({ taskType: { enum: TASK_TYPES }, reason: { enum: ROUTING_REASONS } }),
    },
    {
      grounding: {
        type: 'array',
        items: closed({
          source: text,
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

const check = closed({ ok: { type: 'boolean' } }, { detail: text });

/** The outcome of a server-side verification. */
export const VERIFICATION: JsonSchema = closed({
  valid: { type: 'boolean' },
  certificateId: text,
  checks: closed({ payloadHash: check, signature: check, chain: check }),
  keyId: text,
  verifiedAt: instant,
});

const key = closed({
  keyId: text,
  publicKey: text,
  notBefore: instant,
  notAfter: { anyOf: [instant, { type: 'null' }] },
});

/** What binds and verifies a chain, first in an export. */
export const CHAIN_HEADER: JsonSchema = closed({
  workspaceId: text,
  issuer: text,
  genesis: hash,
  keys: { type: 'array', items: key },
});

/** The answer of the public-key endpoint. */
export const PUBLIC_KEY: JsonSchema = closed({
  algorithm: { const: 'Ed25519' },
  keyId: text,
  publicKey: text,
  publicKeyRaw: text,
  keys: { type: 'array', items: key },
});
