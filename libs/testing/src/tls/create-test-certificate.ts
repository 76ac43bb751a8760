import {
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIPv4 } from 'node:net';

/**
 * A certificate and its private key, in PEM. A client that trusts the certificate, or the authority
 * that issued it, uses that one as `ca`.
 */
export type TestCertificate = { cert: string; key: string };

type CertificateOptions = {
  notBefore?: Date;
  /** By default, one day from now. */
  notAfter?: Date;
  kind?: keyof typeof KINDS;
  /** The authority that signs the certificate; without one it signs itself. */
  issuer?: TestCertificate;
  isAuthority?: boolean;
};

/**
 * Creates an X.509 certificate (RFC 5280) with an Ed25519 key (RFC 8410) or a P-256 key (RFC 5480).
 * An issuer must have a key of the same kind. Implemented here, because Node has no API that
 * creates certificates.
 */
export const createTestCertificate = (
  names: readonly string[],
  {
    notAfter = new Date(Date.now() + DAY_MS),
    notBefore = new Date(notAfter.getTime() - 2 * DAY_MS),
    kind = 'ed25519',
    issuer,
    isAuthority = false,
  }: CertificateOptions = {},
): TestCertificate => {
  const { makeKeys, digest, algorithm } = KINDS[kind];
  const { publicKey, privateKey } = makeKeys();
  const subject = commonName(names[0] ?? '');
  const signingKey = issuer ? createPrivateKey(issuer.key) : privateKey;
  const content = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    issuer ? commonName(new X509Certificate(issuer.cert).subject.slice('CN='.length)) : subject,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeNames(names), ...(isAuthority ? [AUTHORITY] : []))),
  );
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign(digest, content, signingKey)]));
  return {
    cert: toPem(sequence(content, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};

const DAY_MS = 86_400_000;
const LENGTH_SHORT_MAX = 127;

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length <= LENGTH_SHORT_MAX ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
};

const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
const objectId = (bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes));

const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(objectId(COMMON_NAME), der(0x0c, Buffer.from(name)))));

/**
 * DER encodings of the object ids 2.5.4.3 (common name), 2.5.29.17 (subject alternative name) and
 * 2.5.29.19 (basic constraints).
 */
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];

/** The extension that makes a certificate that of an authority. */
const AUTHORITY = sequence(
  objectId(BASIC_CONSTRAINTS),
  der(0x04, sequence(der(0x01, Buffer.of(0xff)))),
);

/** Signature algorithms; their object ids are 1.3.101.112 and 1.2.840.10045.4.3.2. */
const KINDS = {
  ed25519: {
    makeKeys: () => generateKeyPairSync('ed25519'),
    digest: null,
    algorithm: sequence(objectId([0x2b, 0x65, 0x70])),
  },
  p256: {
    makeKeys: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    digest: 'sha256',
    algorithm: sequence(objectId([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])),
  },
} as const;

const alternativeNames = (names: readonly string[]): Buffer => {
  const entries = names.map((name) =>
    isIPv4(name)
      ? der(0x87, Buffer.from(name.split('.').map(Number)))
      : der(0x82, Buffer.from(name)),
  );
  return sequence(objectId(SUBJECT_ALT_NAME), der(0x04, sequence(...entries)));
};

const time = (date: Date): Buffer =>
  der(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`));

const toPem = (bytes: Buffer): string => {
  const lines = bytes
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
};
