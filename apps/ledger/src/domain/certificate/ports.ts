import type { SealedCertificate } from './seal-certificates.ts';

/** Reads one workspace's certificates. */
export type CertificateReader = {
  find: (workspaceId: string, proofId: string) => Promise<SealedCertificate | undefined>;
  /** The certificate that a reservation was settled by, under its own id or another. */
  findSettling: (
    workspaceId: string,
    reservationId: string,
  ) => Promise<SealedCertificate | undefined>;
  /** The certificate at a position of the chain. */
  findAt: (workspaceId: string, chainIndex: number) => Promise<SealedCertificate | undefined>;
  /** In chain order, from `fromIndex` on. */
  list: (
    workspaceId: string,
    range: { fromIndex: number; limit: number },
  ) => Promise<SealedCertificate[]>;
};
