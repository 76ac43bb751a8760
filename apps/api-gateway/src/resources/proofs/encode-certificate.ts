import type { Certificate, SigningKey } from '@witan/contracts';
import { timestampDate } from '@bufbuild/protobuf/wkt';

/**
 * Returns a certificate as JSON text. The payload is inserted unchanged, because its text is what
 * was signed.
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
