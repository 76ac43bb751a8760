const PREFIX = 'whsec_';
const PREVIEW_LENGTH = 4;

/** Bytes of a new secret. */
export const SECRET_BYTES = 32;

/** The text form of a secret (Standard Webhooks): `whsec_` and base64. */
export const encodeSecret = (bytes: Uint8Array): string =>
  `${PREFIX}${Buffer.from(bytes).toString('base64')}`;

/** The key behind a text form. */
export const decodeSecret = (secret: string): Buffer =>
  Buffer.from(secret.slice(PREFIX.length), 'base64');

/** All that is ever shown of a secret again: its last four characters. */
export const previewSecret = (secret: string): string =>
  `${PREFIX}…${secret.slice(-PREVIEW_LENGTH)}`;
