import { decodeBase64 } from './bytes.ts';
import { ProofError } from './errors.ts';
import {
  closedObject,
  count,
  exactly,
  hash,
  instant,
  listOf,
  mismatch,
  name,
  oneOf,
  orNull,
  pattern,
} from './shape.ts';
import type { Shape } from './shape.ts';
import { parseStrictJson } from './strict-json.ts';

/**
 * Reasons why an answer ended. `lost` means that the request was sent to a provider, but no answer
 * was recorded.
 */
export const FINISH_REASONS = [
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'aborted',
  'error',
  'lost',
] as const;

export const TASK_TYPES = [
  'chat',
  'code',
  'tools',
  'extraction',
  'analysis',
  'debate',
  'simulation',
  'embedding',
  'other',
] as const;

export const ROUTING_REASONS = [
  'passthrough',
  'alias',
  'simple',
  'complex',
  'harness',
  'sensitive_local',
  'sensitive_masked_no_local',
  'forced',
  'pinned',
  'fallback',
  'default_provider',
] as const;

export const ADDRESS_KINDS = [
  'model',
  'service-auto',
  'service-agent',
  'service-sensitive',
  'agent',
] as const;

export type FinishReason = (typeof FINISH_REASONS)[number];
export type TaskType = (typeof TASK_TYPES)[number];
export type RoutingReason = (typeof ROUTING_REASONS)[number];
export type AddressKind = (typeof ADDRESS_KINDS)[number];

export type Usage = {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  estimated?: true;
};

/**
 * A passage that was given to the model. `sha256` is the hash of the UTF-8 bytes of its raw text.
 */
export type GroundingRow = {
  source: string;
  chunkId: string;
  page: number | null;
  sha256: string;
};

/** The signed content of the certificate of one call. All hashes are SHA-256 in lower-case hex. */
export type CertificatePayload = {
  v: 1;
  id: string;
  issuer: string;
  /** UTC with milliseconds; never earlier than that of the preceding certificate. */
  issuedAt: string;
  /** Position in the workspace's chain, counted from 0. */
  chainIndex: number;
  /**
   * `payload_hash` of the preceding certificate; for the first certificate, the genesis hash of the
   * chain.
   */
  prevHash: string;
  request: { model: string; sha256: string };
  /**
   * The model address of the call. `agent` (a slug) is present if and only if the kind is `agent`.
   */
  address: { kind: AddressKind; agent?: string; knowledge?: true; sensitive?: true };
  /**
   * Passages that were given to the model; present, possibly empty, if and only if the model
   * address is an agent or has `knowledge`.
   */
  grounding?: GroundingRow[];
  /**
   * The request to the provider: `sha256` is the hash of its exact bytes, `pii` counts what was
   * masked in them.
   */
  egress: {
    provider: string;
    model: string;
    sha256: string;
    /**
     * `categories` is sorted and has no duplicates. `uninspected`, present if above 0, counts
     * media, which are not inspected, and detected values that were not masked because the request
     * would have become invalid.
     */
    pii: { masked: number; categories: string[]; uninspected?: number };
  };
  response: { sha256: string; finishReason: FinishReason; usage: Usage };
  routing: { taskType: TaskType; reason: RoutingReason };
};

export type Certificate = {
  payload: CertificatePayload;
  payload_hash: string;
  /** Base64 Ed25519 signature over the UTF-8 bytes of `payload_hash`. */
  signature: string;
  algorithm: 'Ed25519';
};

const categories: Shape<string[]> = (value, path) => {
  const names = listOf(name)(value, path);
  for (let i = 1; i < names.length; i += 1) {
    if ((names[i - 1] as string) >= (names[i] as string)) {
      throw mismatch(`${path}[${i}]`, 'after its predecessor, in ascending order without repeats');
    }
  }
  return names;
};

const positiveCount: Shape<number> = (value, path) => {
  const number = count(value, path);
  if (number === 0) throw mismatch(path, 'above 0, or absent');
  return number;
};

const payloadShape: Shape<CertificatePayload> = closedObject(
  {
    v: exactly(1),
    id: pattern('pf_ and 1 to 128 letters or digits', /^pf_[0-9A-Za-z]{1,128}$/),
    issuer: name,
    issuedAt: instant,
    chainIndex: count,
    prevHash: hash,
    request: closedObject({ model: name, sha256: hash }),
    address: closedObject(
      { kind: oneOf(ADDRESS_KINDS) },
      { agent: name, knowledge: exactly(true), sensitive: exactly(true) },
    ),
    egress: closedObject({
      provider: name,
      model: name,
      sha256: hash,
      pii: closedObject({ masked: count, categories }, { uninspected: positiveCount }),
    }),
    response: closedObject({
      sha256: hash,
      finishReason: oneOf(FINISH_REASONS),
      usage: closedObject(
        { promptTokens: count, completionTokens: count, totalTokens: count },
        { estimated: exactly(true) },
      ),
    }),
    routing: closedObject({ taskType: oneOf(TASK_TYPES), reason: oneOf(ROUTING_REASONS) }),
  },
  {
    grounding: listOf(
      closedObject({ source: name, chunkId: name, page: orNull(count), sha256: hash }),
    ),
  },
);

const signature: Shape<string> = (value, path) => {
  if (typeof value !== 'string' || decodeBase64(value)?.length !== 64) {
    throw mismatch(path, 'the canonical base64 of 64 bytes');
  }
  return value;
};

const certificateShape = closedObject({
  payload: (value) => parsePayload(value),
  payload_hash: hash,
  signature,
  algorithm: exactly('Ed25519'),
});

/**
 * Returns the value itself if it is a payload with exactly the members of the format. A member that
 * is undefined counts as absent. Throws ProofError `schema` with the path of the first error.
 */
export function parsePayload(value: unknown): CertificatePayload {
  const payload = payloadShape(value, 'payload');
  const { kind, agent, knowledge } = payload.address;
  if ((kind === 'agent') !== (agent !== undefined)) {
    throw new ProofError(
      'schema',
      'payload.address.agent must stand there just when kind is agent',
    );
  }
  if ((kind === 'agent' || knowledge === true) !== (payload.grounding !== undefined)) {
    throw new ProofError(
      'schema',
      'payload.grounding must stand there just when the address is an agent or has knowledge',
    );
  }
  const { masked, categories: masks } = payload.egress.pii;
  if (masked < masks.length || (masked > 0 && masks.length === 0)) {
    throw new ProofError(
      'schema',
      'payload.egress.pii.categories must name those of the masked values, and no others',
    );
  }
  return payload;
}

/**
 * Parses a certificate from its JSON text or UTF-8 bytes. A value that is parsed already is
 * accepted too, but duplicate members can no longer be detected in it. Checks only the form,
 * neither hash nor signature. Throws ProofError `not_json`, `duplicate_key` and `schema`.
 */
export function parseCertificate(source: unknown): Certificate {
  // `instanceof` is not used, because bytes may come from another realm, such as a worker or an
  // iframe.
  const isText = typeof source === 'string' || ArrayBuffer.isView(source);
  const value = isText ? parseStrictJson(source as string | Uint8Array) : source;
  return certificateShape(value, 'certificate');
}
