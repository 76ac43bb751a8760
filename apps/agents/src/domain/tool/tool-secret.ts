export const SECRET_BYTES = 32;

/** The text form is the signing key. */
export const encodeToolSecret = (bytes: Uint8Array): string =>
  `tlsec_${Buffer.from(bytes).toString('base64')}`;
