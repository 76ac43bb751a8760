import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate that signs itself, so that it is its own authority; PEM. */
export type Certificate = { cert: string; key: string };

/** X.509 (RFC 5280) by hand with a P-256 key, the usual kind: Node makes no certificates. */
export const createCertificate = (name: string): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(
    der(0x31, sequence(objectId(COMMON_NAME), der(0x0c, Buffer.from(name)))),
  );
  const now = Date.now();
  const content = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ECDSA_WITH_SHA256,
    subject,
    sequence(time(new Date(now - DAY_MS)), time(new Date(now + DAY_MS))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeName(name))),
  );
  const signature = sign('sha256', content, privateKey);
  const bits = der(0x03, Buffer.concat([Buffer.of(0), signature]));
  return {
    cert: toPem(sequence(content, ECDSA_WITH_SHA256, bits)),
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

/** 2.5.4.3, 2.5.29.17 and 1.2.840.10045.4.3.2. */
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];
const ECDSA_WITH_SHA256 = sequence(objectId([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));

const alternativeName = (name: string): Buffer =>
  sequence(objectId(SUBJECT_ALT_NAME), der(0x04, sequence(der(0x82, Buffer.from(name)))));

/** GeneralizedTime. */
const time = (date: Date): Buffer =>
  der(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`));

const toPem = (bytes: Buffer): string => {
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
};
