import { createHash, createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
  canonicalJson,
  keysInForce,
  parseCertificate,
  pemOf,
  verifyCertificate,
  verifyLink,
} from '@witan/proof';
import type { Certificate, ChainIdentity, PublicKeys } from '@witan/proof';

export type ChainCheck = {
  certificates: number;
  /** Number of signatures that libs/proof verified. Node's crypto verified all signatures. */
  verifiedByProof: number;
  elapsedMs: number;
};

export type ChainSource = ChainIdentity & {
  keys: PublicKeys;
  /** The parsed certificates in chain order. */
  certificates: AsyncIterable<unknown>;
  /** Proof ids of all successful calls, each of which must have one certificate. */
  ids: readonly string[];
};

/**
 * Limited, because libs/proof verifies signatures in JavaScript, much more slowly than Node's
 * crypto, and a run makes tens of thousands of certificates.
 */
const VERIFIED_BY_PROOF_MAX = 400;

/**
 * Verifies schema, link, payload hash and signature of every certificate: signatures with Node's
 * crypto, and an even sample of them also with libs/proof. Checks that every call has exactly one
 * certificate. Throws at the first error.
 */
export const checkChain = async (chain: ChainSource): Promise<ChainCheck> => {
  const startedAt = performance.now();
  const expected = new Set(chain.ids);
  if (expected.size !== chain.ids.length) throw new Error('Two calls have the same proof id.');
  const sampleEvery = Math.max(1, Math.ceil(expected.size / VERIFIED_BY_PROOF_MAX));
  const verifySignature = createSignatureCheck(chain.keys);
  let previous: Certificate | undefined;
  let certificates = 0;
  let verifiedByProof = 0;
  for await (const source of chain.certificates) {
    const certificate = parseCertificate(source);
    verifyLink(previous, certificate, chain);
    verifyPayloadHash(certificate);
    verifySignature(certificate);
    if (certificates % sampleEvery === 0) {
      verifyCertificate(certificate, chain.keys);
      verifiedByProof += 1;
    }
    if (!expected.delete(certificate.payload.id)) {
      throw new Error(`${certificate.payload.id} is in the chain, but no call has this proof id.`);
    }
    previous = certificate;
    certificates += 1;
  }
  if (expected.size > 0) throw new Error(`${expected.size} calls have no certificate.`);
  return { certificates, verifiedByProof, elapsedMs: performance.now() - startedAt };
};

const verifyPayloadHash = ({ payload, payload_hash }: Certificate): void => {
  const actual = createHash('sha256').update(canonicalJson(payload)).digest('hex');
  if (actual !== payload_hash) throw new Error(`The payload of ${payload.id} was changed.`);
};

const createSignatureCheck = (keys: PublicKeys): ((certificate: Certificate) => void) => {
  const keyObjects = new Map<string, KeyObject>();
  return ({ payload, payload_hash, signature }) => {
    const message = Buffer.from(payload_hash);
    const isSignedBy = ({ keyId, raw }: PublicKeys[number]): boolean => {
      const key = keyObjects.get(keyId) ?? createPublicKey(pemOf(raw));
      keyObjects.set(keyId, key);
      return verify(null, message, key, Buffer.from(signature, 'base64'));
    };
    if (keysInForce(keys, payload.issuedAt).some(isSignedBy)) return;
    throw new Error(`The signature of ${payload.id} is not by a key in force.`);
  };
};
