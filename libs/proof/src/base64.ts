// Keys and signatures have at most 88 characters; nothing longer is worth decoding.
const MAX_LENGTH = 1024;

/**
 * The bytes of a padded standard base64 text, or undefined when the text is anything else: a wrong
 * alphabet, white space, missing padding, or spare bits that are not zero (several texts would
 * mean the same bytes), or more than 1,024 characters. RFC 4648 section 3.5.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length > MAX_LENGTH || text.length % 4 !== 0) return undefined;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return encodeBase64(bytes) === text ? bytes : undefined;
}

/** Padded standard base64. For keys and signatures: short data only. */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
