/** Bytes of a new secret. */
export const SECRET_BYTES = 32;

/** The text form of a secret; the whole text is the key that calls are signed with. */
export const encodeToolSecret = (bytes: Uint8Array): string =>
  `tlsec_${Buffer.from(bytes).toString('base64')}`;
