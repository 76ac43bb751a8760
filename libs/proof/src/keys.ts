import { decodeBase64, encodeBase64, sha256Hex } from './bytes.ts';
import { isPrimeOrderPoint, SPKI_PREFIX } from './ed25519.ts';
import { ProofError } from './errors.ts';
import { exactly, instant, listOf, openObject, orNull, pattern, text } from './shape.ts';
import { parseStrictJson } from './strict-json.ts';

/**
 * A public key and the period in which it signs. `issuedAt` must be within the period, both ends
 * included; null means unbounded.
 */
export type PublicKey = {
  keyId: string;
  raw: Uint8Array;
  notBefore: string | null;
  notAfter: string | null;
};

export type PublicKeys = readonly PublicKey[];

const PEM = /^-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]+?)\s+-----END PUBLIC KEY-----$/;
const MAX_KEYS = 10_000;
const MAX_KEY_LENGTH = 1024;

const keyShape = openObject({
  keyId: pattern('16 lower-case hex digits', /^[0-9a-f]{16}$/),
  publicKey: text,
  notBefore: orNull(instant),
  notAfter: orNull(instant),
});

const responseShape = openObject(
  { algorithm: exactly('Ed25519'), keyId: text, publicKey: text },
  { publicKeyRaw: text, keys: listOf(keyShape) },
);

/**
 * Parses a response of the public-key endpoint (`{algorithm, keyId, publicKey, publicKeyRaw,
 * keys}`), or a single key as PEM or as base64 of its 32 bytes. A single key, and that of a
 * response without `keys`, is valid at any time. Throws ProofError `public_key`.
 */
export function parsePublicKeys(source: string): PublicKeys {
  const trimmed = source.trim();
  if (!trimmed.startsWith('{')) return [keyWithoutWindow(rawKeyOf(trimmed))];
  return withPublicKeyReason(() => {
    const answer = responseShape(parseStrictJson(trimmed), 'answer');
    const current = keyWithoutWindow(rawKeyOf(answer.publicKey));
    if (answer.keyId !== current.keyId) throw publicKeyError('keyId is not the id of publicKey');
    if (![undefined, encodeBase64(current.raw)].includes(answer.publicKeyRaw)) {
      throw publicKeyError('publicKeyRaw is not the same key as publicKey');
    }
    return answer.keys === undefined ? [current] : parseKeyList(answer.keys);
  });
}

/**
 * Parses a list `[{keyId, publicKey: <PEM>, notBefore, notAfter|null}]`, as in a public-key
 * response and in the header of an exported chain. Throws ProofError `public_key`.
 */
export function parseKeyList(value: unknown): PublicKeys {
  const items = withPublicKeyReason(() => listOf(keyShape)(value, 'keys'));
  if (items.length === 0) throw publicKeyError('keys is empty');
  if (items.length > MAX_KEYS) throw publicKeyError(`keys has more than ${MAX_KEYS} items`);
  return items.map(({ keyId, publicKey, notBefore, notAfter }) => {
    const raw = rawKeyOf(publicKey);
    if (keyId !== keyIdOf(raw))
      throw publicKeyError(`the id of key ${keyId} is not that of its bytes`);
    return { keyId, raw, notBefore, notAfter };
  });
}

/** Returns the keys of a list, parsed or not, in whose period `issuedAt` is. */
export function keysInForce<K extends Pick<PublicKey, 'notBefore' | 'notAfter'>>(
  keys: readonly K[],
  issuedAt: string,
): readonly K[] {
  // Timestamps of this fixed format are in chronological order when compared as texts.
  return keys.filter(
    ({ notBefore, notAfter }) =>
      (notBefore === null || notBefore <= issuedAt) && (notAfter === null || issuedAt <= notAfter),
  );
}

export function keyIdOf(raw: Uint8Array): string {
  return sha256Hex(raw).slice(0, 16);
}

/**
 * Returns the 32 raw bytes of a key in SubjectPublicKeyInfo PEM or base64. Throws ProofError
 * `public_key`, also for a point with a small-order component, because no honest signer has such a
 * key.
 */
export function rawKeyOf(source: string): Uint8Array {
  const key = source.trim().slice(0, MAX_KEY_LENGTH);
  const body = PEM.exec(key)?.[1];
  const bytes = decodeBase64(body === undefined ? key : body.replaceAll(/\s/g, ''));
  const raw = body === undefined ? bytes : stripSpki(bytes);
  if (raw?.length !== 32) {
    throw publicKeyError(
      'expected an Ed25519 key as PEM (BEGIN PUBLIC KEY) or as base64 of 32 bytes',
    );
  }
  if (!isPrimeOrderPoint(raw)) throw publicKeyError('the bytes are not a sound Ed25519 public key');
  return raw;
}

export function pemOf(raw: Uint8Array): string {
  const body = encodeBase64(Uint8Array.from([...SPKI_PREFIX, ...raw]));
  return `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`;
}

function stripSpki(bytes: Uint8Array | undefined): Uint8Array | undefined {
  const isEd25519 = SPKI_PREFIX.every((byte, i) => bytes?.[i] === byte);
  return isEd25519 ? bytes?.subarray(SPKI_PREFIX.length) : undefined;
}

function keyWithoutWindow(raw: Uint8Array): PublicKey {
  return { keyId: keyIdOf(raw), raw, notBefore: null, notAfter: null };
}

function withPublicKeyReason<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProofError && error.reason !== 'public_key') {
      throw new ProofError('public_key', error.detail, { cause: error });
    }
    throw error;
  }
}

function publicKeyError(detail: string): ProofError {
  return new ProofError('public_key', detail);
}
