import type { MessageInitShape } from '@bufbuild/protobuf';
import type { CertificateSchema } from '@witan/contracts';
import type { SignedCertificate } from '../sign-certificates.ts';

export const toCertificate = ({
  payload,
  payloadHash,
  signature,
  keyId,
}: SignedCertificate): MessageInitShape<typeof CertificateSchema> => ({
  payload,
  payloadHash,
  signature,
  algorithm: 'Ed25519',
  keyId,
});
