export const SECRET_BYTES = 32;

/** Returns the text form of a secret, which is the signing key. */
export const encodeToolSecret = (bytes: Uint8Array): string =>
  `tlsec_${Buffer.from(bytes).toString('base64')}`;
