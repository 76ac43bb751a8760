import { createHash, createPublicKey, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** An envelope of the Dead Simple Signing Envelope protocol, v1. */
export type Envelope = {
  payloadType: string;
  payload: string;
  signatures: { keyid: string; sig: string }[];
};

/** Returns the signed bytes: "DSSEv1", then type and payload, each after its length in bytes. */
const encodeForSigning = (type: string, payload: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `),
    payload,
  ]);

/** Returns the SHA-256 of the public key in DER; it only distinguishes keys. */
const keyIdOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');

/** Returns the statement in an envelope that an Ed25519 key signed. */
export const signStatement = (statement: object, privateKey: KeyObject): Envelope => {
  requireEd25519(privateKey);
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = sign(null, encodeForSigning(PAYLOAD_TYPE, payload), privateKey);
  const keyid = keyIdOf(createPublicKey(privateKey));
  return {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid, sig: sig.toString('base64') }],
  };
};

/** Returns the statement of an envelope. Throws unless the key signed it. */
export const verifyEnvelope = (envelope: Envelope, publicKey: KeyObject): unknown => {
  requireEd25519(publicKey);
  const { payloadType, payload, signatures } = envelope;
  if (payloadType !== PAYLOAD_TYPE) throw new Error(`The envelope contains ${payloadType}.`);
  const bytes = Buffer.from(payload, 'base64');
  const signed = encodeForSigning(payloadType, bytes);
  const isSigned = signatures.some(({ sig }) =>
    verify(null, signed, publicKey, Buffer.from(sig, 'base64')),
  );
  if (!isSigned) throw new Error('No signature of the envelope is by this key.');
  return JSON.parse(bytes.toString('utf8'));
};

const requireEd25519 = ({ asymmetricKeyType }: KeyObject): void => {
  if (asymmetricKeyType !== 'ed25519') {
    throw new Error(`The key must be an Ed25519 key, not ${asymmetricKeyType ?? 'unknown'}.`);
  }
};
