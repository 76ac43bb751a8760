import { decodeBase64, encodeBase64, sha256 } from '../bytes.ts';
import { canonicalJson } from '../commitment.ts';
import { parseCertificate } from '../certificate.ts';
import type { Certificate } from '../certificate.ts';
import { ProofError } from '../errors.ts';
import { keyRows } from '../keys.ts';
import type { KeyRow } from '../keys.ts';
import { closedObject, exactly, mismatch, name, text } from '../shape.ts';
import type { Shape } from '../shape.ts';
import { parseStrictJson } from '../strict-json.ts';
import { HASH_BYTES } from './merkle.ts';
import { MAX_MAP_DEPTH } from './map.ts';
import { tileHashes } from './tile.ts';

/**
 * A certificate with everything that shows when it existed, to anybody with a policy
 * (docs/format.md).
 */
export type Bundle = {
  witanBundle: 1;
  certificate: Certificate;
  workspaceId: string;
  /** tlog-proof of the certificate in the tree of its workspace, with a signed tree head. */
  tree: string;
  /** Base64 of the salt of the tree head, and of its siblings in the map, the leaf's first. */
  map: { salt: string; path: string };
  /** tlog-proof of the epoch in the log, with a cosigned checkpoint. */
  log: string;
  /** The certificate keys that the epoch commits to. */
  keys: BundleKey[];
};

export type BundleKey = KeyRow;

export const salt: Shape<string> = (value, path) => {
  if (typeof value !== 'string' || decodeBase64(value)?.length !== HASH_BYTES) {
    throw mismatch(path, 'the canonical base64 of 32 bytes');
  }
  return value;
};

export const mapPath: Shape<string> = (value, path) => {
  const length = typeof value === 'string' ? decodeBase64(value)?.length : undefined;
  if (length === undefined || length % HASH_BYTES !== 0 || length > MAX_MAP_DEPTH * HASH_BYTES) {
    throw mismatch(path, `the canonical base64 of at most ${MAX_MAP_DEPTH} hashes`);
  }
  return value as string;
};

const bundleShape: Shape<Bundle> = closedObject({
  witanBundle: exactly(1),
  certificate: (value) => parseCertificate(value),
  workspaceId: name,
  tree: text,
  map: closedObject({ salt, path: mapPath }),
  log: text,
  keys: keyRows,
});

/**
 * Parses a bundle from its JSON text or UTF-8 bytes. Checks only the form. Throws ProofError
 * `not_json`, `duplicate_key` and `schema`.
 */
export function parseBundle(source: string | Uint8Array): Bundle {
  return bundleShape(parseStrictJson(source), 'bundle');
}

/** Returns whether a JSON text is meant to be a bundle, valid or not. */
export function isBundle(source: string | Uint8Array): boolean {
  try {
    const value = parseStrictJson(source);
    return typeof value === 'object' && value !== null && Object.hasOwn(value, 'witanBundle');
  } catch (error) {
    if (error instanceof ProofError) return false;
    throw error;
  }
}

/**
 * Returns the compact JSON text of a bundle with canonical `payload` and `keys`, so that a verifier
 * in another language can hash their bytes as they stand. `payload` is the text that was signed.
 */
export function formatBundle(
  bundle: Omit<Bundle, 'certificate' | 'witanBundle'> & {
    certificate: Omit<Certificate, 'payload'> & { payload: string };
  },
): string {
  const { certificate, workspaceId, tree, map, log, keys } = bundle;
  const { payload, payload_hash, signature, algorithm } = certificate;
  const rest = JSON.stringify({ payload_hash, signature, algorithm }).slice(1);
  return (
    `{"witanBundle":1,"certificate":{"payload":${payload},${rest},` +
    `${JSON.stringify({ workspaceId, tree, map, log }).slice(1, -1)},` +
    `"keys":${canonicalJson(keys)}}`
  );
}

/** The entry of a certificate in the tree of its workspace: 96 bytes. */
export function treeEntry(
  certificate: Pick<Certificate, 'payload_hash' | 'signature'>,
): Uint8Array {
  const { payload_hash: hash, signature } = certificate;
  const bytes = new Uint8Array(ENTRY_BYTES);
  for (let i = 0; i < HASH_BYTES; i += 1) {
    bytes[i] = Number.parseInt(hash.slice(2 * i, 2 * i + 2), 16);
  }
  bytes.set(decodeBase64(signature)!, HASH_BYTES);
  return bytes;
}

/** Bytes of an entry of a tree: a hash and a signature. */
export const ENTRY_BYTES = HASH_BYTES + 64;

/** Returns the entry of an epoch in the log: three lines, each ending with a line feed. */
export function epochEntry(mapRoot: Uint8Array, keys: readonly BundleKey[]): string {
  const keysHash = sha256(canonicalJson(keys));
  return `witan-epoch/v1\n${encodeBase64(mapRoot)}\n${encodeBase64(keysHash)}\n`;
}

/** Returns whether an entry of the log is exactly one that {@link epochEntry} can return. */
export function isEpochEntry(entry: string): boolean {
  const [, mapRoot, keysHash] = /^witan-epoch\/v1\n(.+)\n(.+)\n$/.exec(entry) ?? [];
  return [mapRoot, keysHash].every(
    (hash) => hash !== undefined && decodeBase64(hash)?.length === HASH_BYTES,
  );
}

/** Returns the siblings of a path in base64, the leaf's first. */
export function mapPathOf(path: string): Uint8Array[] {
  return tileHashes(decodeBase64(path)!);
}
