import type { SignedCertificate } from './sign-certificates.ts';

export type CertificateReader = {
  find: (workspaceId: string, proofId: string) => Promise<SignedCertificate | undefined>;
  findSettling: (
    workspaceId: string,
    reservationId: string,
  ) => Promise<SignedCertificate | undefined>;
  findAt: (workspaceId: string, chainIndex: number) => Promise<SignedCertificate | undefined>;
  list: (
    workspaceId: string,
    range: { fromIndex: number; limit: number },
  ) => Promise<SignedCertificate[]>;
};
