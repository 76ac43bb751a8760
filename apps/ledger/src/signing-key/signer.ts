import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { keyIdOf } from '@witan/proof';

export type Signer = {
  keyId: string;
  /** Public key as SubjectPublicKeyInfo PEM. */
  publicKey: string;
  hash: (text: string) => string;
  /**
   * Resolves with the base64 Ed25519 signature of a text, one of `count` that are needed at once. A
   * few are computed on the main thread, because waking another thread costs half as much CPU as a
   * signature; more are computed off it, so as not to block it.
   */
  sign: (text: string, count: number) => Promise<string>;
};

/** Number of signatures, of about 60 µs each, up to which they are computed on the main thread. */
const SYNC_SIGNATURES_MAX = 8;

const signAsync = promisify<null, Buffer, KeyObject, Buffer>(sign);

/** Length of the raw key at the end of an SPKI-encoded Ed25519 key (RFC 8410). */
const RAW_KEY_BYTES = 32;

const PEM_BEGIN = /-----BEGIN /g;
const PEM_KEY = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[^-]*-----END \1-----/g;

/**
 * Returns a signer for each key of a PEM file, in order. Throws if there is none, or if any PEM
 * block is not a complete Ed25519 private key: a skipped key would be noticed only at the next
 * rotation. `variable` names the file in errors.
 */
export const parseSigners = (pem: string, variable = 'WITAN_SIGNING_KEY_FILE'): Signer[] => {
  const keys = pem.match(PEM_KEY) ?? [];
  if (keys.length === 0 || keys.length !== pem.match(PEM_BEGIN)?.length) {
    throw new Error(
      `The file of signing keys (${variable}) must contain complete private keys in PEM and no ` +
        'other PEM block.',
    );
  }
  return keys.map((key) => createSigner(createPrivateKey(key), variable));
};

/**
 * Creates a signer that reuses one KeyObject, because parsing the PEM for every signature costs ten
 * times as much.
 */
export const createSigner = (
  privateKey: KeyObject,
  variable = 'WITAN_SIGNING_KEY_FILE',
): Signer => {
  if (privateKey.asymmetricKeyType !== 'ed25519') {
    throw new Error(`The signing key (${variable}) must be an Ed25519 private key.`);
  }
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return {
    keyId: keyIdOf(spki.subarray(-RAW_KEY_BYTES)),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    hash: (text) => hash('sha256', text, 'hex'),
    sign: async (text, count) => {
      const data = Buffer.from(text);
      const isFew = count <= SYNC_SIGNATURES_MAX;
      const signature = isFew
        ? sign(null, data, privateKey)
        : await signAsync(null, data, privateKey);
      return signature.toString('base64');
    },
  };
};
