const PREFIX = 'whsec_';
const PREVIEW_LENGTH = 4;

export const SECRET_BYTES = 32;

/** Returns the text form of a secret (Standard Webhooks): `whsec_` and base64. */
export const encodeSecret = (bytes: Uint8Array): string =>
  `${PREFIX}${Buffer.from(bytes).toString('base64')}`;

/** Returns the bytes of a secret's text form. */
export const decodeSecret = (secret: string): Buffer =>
  Buffer.from(secret.slice(PREFIX.length), 'base64');

/** Returns the only part of a secret that is shown again: its last four characters. */
export const previewSecret = (secret: string): string =>
  `${PREFIX}…${secret.slice(-PREVIEW_LENGTH)}`;
