import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

/** Paths of PEM files: a certificate chain, its private key, and the authorities of the peers. */
export type TlsPaths = { certFile: string; keyFile: string; caFile: string };

export type TlsMaterial = {
  cert: Buffer;
  key: Buffer;
  ca: Buffer;
  /** Serial number of the service's own certificate, in hexadecimal. */
  serialNumber: string;
  expiry: {
    /** When the first certificate of the chain expires. */
    certificate: Date;
    /** When the last authority expires: from then on, no certificate of a peer is valid. */
    authority: Date;
  };
  /** From when on a renewal is late. */
  renewalDueAt: Date;
};

/**
 * Reads the files and verifies that they can be used together. Rejects with an error that names the
 * variable and the file, without their content, if a file is unreadable, incomplete or empty, or if
 * the key does not belong to the certificate.
 */
export const readTlsFiles = async (paths: TlsPaths): Promise<TlsMaterial> => {
  const [cert, key, ca] = await Promise.all([
    read('WITAN_TLS_CERT_FILE', paths.certFile),
    read('WITAN_TLS_KEY_FILE', paths.keyFile),
    read('WITAN_TLS_CA_FILE', paths.caFile),
  ]);
  const chain = parseCertificates('WITAN_TLS_CERT_FILE', paths.certFile, cert);
  // Node ignores an authority that it cannot parse, and trusts all public ones if none is left.
  const authorities = parseCertificates('WITAN_TLS_CA_FILE', paths.caFile, ca);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw unusable('WITAN_TLS_KEY_FILE', paths.keyFile, 'is not the key of the certificate', cause);
  }
  const certificate = chain.toSorted(byExpiry)[0]!;
  const authority = authorities.toSorted(byExpiry).at(-1)!;
  return {
    cert,
    key,
    ca,
    serialNumber: chain[0]!.serialNumber,
    expiry: { certificate: certificate.validToDate, authority: authority.validToDate },
    renewalDueAt: new Date(Math.min(toRenewalDue(certificate), toRenewalDue(authority))),
  };
};

const read = async (variable: string, path: string): Promise<Buffer> => {
  try {
    return await readFile(path);
  } catch (cause) {
    throw unusable(variable, path, 'cannot be read', cause);
  }
};

const BEGIN = /-----BEGIN CERTIFICATE-----/g;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const parseCertificates = (variable: string, path: string, pem: Buffer): X509Certificate[] => {
  const text = pem.toString('latin1');
  const blocks = text.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw unusable(variable, path, 'contains no certificate');
  if (blocks.length !== text.match(BEGIN)!.length) throw unusable(variable, path, 'is incomplete');
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (cause) {
    throw unusable(variable, path, 'contains an invalid certificate', cause);
  }
};

const unusable = (variable: string, path: string, problem: string, cause?: unknown): Error =>
  new Error(`${variable}: ${path} ${problem}`, { cause });

const byExpiry = (a: X509Certificate, b: X509Certificate): number =>
  a.validToDate.getTime() - b.validToDate.getTime();

/** 14 days before the expiry, or a quarter of the lifetime, if that is less. */
const toRenewalDue = ({ validFromDate, validToDate }: X509Certificate): number => {
  const lifetimeMs = validToDate.getTime() - validFromDate.getTime();
  return validToDate.getTime() - Math.min(14 * 24 * 60 * 60_000, lifetimeMs / 4);
};
