import type { SignedCertificate } from './sign-certificates.ts';

/** Reads the certificates of one workspace. */
export type CertificateReader = {
  find: (workspaceId: string, proofId: string) => Promise<SignedCertificate | undefined>;
  /** Returns the certificate that settled a reservation, under its own id or another. */
  findSettling: (
    workspaceId: string,
    reservationId: string,
  ) => Promise<SignedCertificate | undefined>;
  findAt: (workspaceId: string, chainIndex: number) => Promise<SignedCertificate | undefined>;
  /** Returns certificates in chain order, starting at `fromIndex`. */
  list: (
    workspaceId: string,
    range: { fromIndex: number; limit: number },
  ) => Promise<SignedCertificate[]>;
};
