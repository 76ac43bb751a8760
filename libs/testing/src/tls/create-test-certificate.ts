import { generateKeyPairSync, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certificate that signs itself, so that it is its own `ca`; PEM. */
export type TestCertificate = { cert: string; key: string };

/** X.509 (RFC 5280) by hand, with an Ed25519 key (RFC 8410): Node makes none, tests need some. */
export const createTestCertificate = (
  names: readonly string[],
  { notAfter = new Date(Date.now() + 86_400_000) }: { notAfter?: Date } = {},
): TestCertificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const subject = sequence(
    der(0x31, sequence(objectId(COMMON_NAME), der(0x0c, Buffer.from(names[0] ?? '')))),
  );
  const content = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ED25519,
    subject,
    sequence(time(new Date(notAfter.getTime() - 2 * 86_400_000)), time(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeNames(names))),
  );
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign(null, content, privateKey)]));
  return {
    cert: toPem(sequence(content, ED25519, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};

const LENGTH_SHORT_MAX = 127;

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length <= LENGTH_SHORT_MAX ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
};

const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
const objectId = (bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes));

/** 2.5.4.3, 2.5.29.17 and 1.3.101.112. */
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];
const ED25519 = sequence(objectId([0x2b, 0x65, 0x70]));

const alternativeNames = (names: readonly string[]): Buffer => {
  const entries = names.map((name) =>
    isIPv4(name)
      ? der(0x87, Buffer.from(name.split('.').map(Number)))
      : der(0x82, Buffer.from(name)),
  );
  return sequence(objectId(SUBJECT_ALT_NAME), der(0x04, sequence(...entries)));
};

/** GeneralizedTime. */
const time = (date: Date): Buffer =>
  der(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`));

const toPem = (bytes: Buffer): string => {
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
};
