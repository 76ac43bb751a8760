const PREFIX = 'whsec_';
const PREVIEW_LENGTH = 4;

export const SECRET_BYTES = 32;

export const encodeSecret = (bytes: Uint8Array): string =>
  `${PREFIX}${Buffer.from(bytes).toString('base64')}`;

export const decodeSecret = (secret: string): Buffer =>
  Buffer.from(secret.slice(PREFIX.length), 'base64');

export const previewSecret = (secret: string): string =>
  `${PREFIX}…${secret.slice(-PREVIEW_LENGTH)}`;
