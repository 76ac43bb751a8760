import type { Certificate, SigningKey } from '@witan/contracts';
import { timestampDate } from '@bufbuild/protobuf/wkt';

/** A certificate's JSON text; the payload goes in as the canonical text that was signed. */
export const encodeCertificate = ({
  payload,
  payloadHash,
  signature,
  algorithm,
}: Certificate): string =>
  `{"payload":${payload},"payload_hash":"${payloadHash}",` +
  `"signature":"${signature}","algorithm":"${algorithm}"}`;

/** A public key with its window over `issuedAt`, as clients see it. */
export const encodeKey = (key: SigningKey) => ({
  keyId: key.keyId,
  publicKey: key.publicKey,
  notBefore: timestampDate(key.notBefore!).toISOString(),
  notAfter: key.notAfter ? timestampDate(key.notAfter).toISOString() : null,
});
