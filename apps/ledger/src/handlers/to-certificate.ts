import type { MessageInitShape } from '@bufbuild/protobuf';
import type { CertificateSchema } from '@witan/contracts';
import type { SealedCertificate } from '../domain/certificate/seal-certificates.ts';

/** The message form of a stored certificate. */
export const toCertificate = ({
  payload,
  payloadHash,
  signature,
  keyId,
}: SealedCertificate): MessageInitShape<typeof CertificateSchema> => ({
  payload,
  payloadHash,
  signature,
  algorithm: 'Ed25519',
  keyId,
});
