import type { Certificate, SigningKey } from '@witan/contracts';
import { timestampDate } from '@bufbuild/protobuf/wkt';

/**
 * Returns a certificate as JSON text; the payload is the canonical text that was signed, unchanged.
 */
export const encodeCertificate = ({
  payload,
  payloadHash,
  signature,
  algorithm,
}: Certificate): string =>
  `{"payload":${payload},"payload_hash":"${payloadHash}",` +
  `"signature":"${signature}","algorithm":"${algorithm}"}`;

export const encodeKey = (key: SigningKey) => ({
  keyId: key.keyId,
  publicKey: key.publicKey,
  notBefore: timestampDate(key.notBefore!).toISOString(),
  notAfter: key.notAfter ? timestampDate(key.notAfter).toISOString() : null,
});
