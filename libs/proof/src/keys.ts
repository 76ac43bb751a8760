import { decodeBase64, encodeBase64, sha256Hex } from './bytes.ts';
import { isPrimeOrderPoint, SPKI_PREFIX } from './ed25519.ts';
import { ProofError } from './errors.ts';
import { closedObject, exactly, instant, listOf, mismatch, orNull, pattern } from './shape.ts';
import type { Shape } from './shape.ts';
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

const [BEGIN, END] = ['-----BEGIN PUBLIC KEY-----', '-----END PUBLIC KEY-----'];
const PEM = new RegExp(`^${BEGIN}[ \\t\\r\\n]+([\\w+/= \\t\\r\\n]+?)[ \\t\\r\\n]+${END}$`);
const MAX_KEYS = 10_000;
const MAX_KEY_LENGTH = 1024;

const keyId = pattern('16 lower-case hex digits', /^[0-9a-f]{16}$/);

/** The one spelling of a key in JSON: the DER prefix of Ed25519 has 12 bytes, 16 digits. */
const pem = pattern(
  'an Ed25519 key as PEM with one line of base64',
  new RegExp(`^${BEGIN}\nMCowBQYDK2VwAyEA[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=\n${END}\n$`),
);

const keyShape = closedObject({
  keyId,
  publicKey: pem,
  notBefore: orNull(instant),
  notAfter: orNull(instant),
});

/** A row of a list of keys; `publicKey` is a PEM. */
export type KeyRow = ReturnType<typeof keyShape>;

/** Checks the form of a list of keys, but not their points, which takes some ms for each. */
export const keyRows: Shape<KeyRow[]> = (value, path) => {
  const rows = listOf(keyShape)(value, path);
  if (rows.length > MAX_KEYS) throw mismatch(path, `a list of at most ${MAX_KEYS} keys`);
  return rows;
};

const responseShape = closedObject(
  { algorithm: exactly('Ed25519'), keyId, publicKey: pem },
  {
    publicKeyRaw: pattern('the base64 of 32 bytes', /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/),
    keys: keyRows,
  },
);

/**
 * Parses a response of the public-key endpoint (`{algorithm, keyId, publicKey, publicKeyRaw,
 * keys}`), or a single key as PEM or as base64 of its 32 bytes. A single key, and that of a
 * response without `keys`, is valid at any time; with `keys`, the single key must be one of them.
 * Throws ProofError `public_key`.
 */
export function parsePublicKeys(source: string): PublicKeys {
  if (!/^[ \t\r\n]*\{/.test(source)) return [keyWithoutWindow(rawKeyOf(source))];
  return withPublicKeyReason(() => {
    const answer = responseShape(parseStrictJson(source), 'answer');
    const current = keyWithoutWindow(rawKeyOf(answer.publicKey));
    if (answer.keyId !== current.keyId) throw publicKeyError('keyId is not the id of publicKey');
    if (![undefined, encodeBase64(current.raw)].includes(answer.publicKeyRaw)) {
      throw publicKeyError('publicKeyRaw is not the same key as publicKey');
    }
    if (answer.keys === undefined) return [current];
    if (!answer.keys.some((row) => row.keyId === current.keyId)) {
      throw publicKeyError('publicKey is none of keys');
    }
    return parseKeyList(answer.keys);
  });
}

/**
 * Parses a list `[{keyId, publicKey: <PEM>, notBefore, notAfter|null}]`, as in a public-key
 * response and in the header of an exported chain. Throws ProofError `public_key`.
 */
export function parseKeyList(value: unknown): PublicKeys {
  return checkKeyRows(value).map(({ publicKey, ...row }) => {
    const raw = rawKeyOf(publicKey);
    if (row.keyId !== keyIdOf(raw)) {
      throw publicKeyError(`the id of key ${row.keyId} is not that of its bytes`);
    }
    return { raw, ...row };
  });
}

/** Returns a list of keys whose form is valid and which has one. Throws ProofError `public_key`. */
export function checkKeyRows(value: unknown): KeyRow[] {
  const rows = withPublicKeyReason(() => keyRows(value, 'keys'));
  if (rows.length === 0) throw publicKeyError('keys is empty');
  return rows;
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
  if (source.length > MAX_KEY_LENGTH) throw publicKeyError(`over ${MAX_KEY_LENGTH} characters`);
  const key = source.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  const body = PEM.exec(key)?.[1];
  const bytes = decodeBase64(body === undefined ? key : body.replaceAll(/[ \t\r\n]/g, ''));
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
