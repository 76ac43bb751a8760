/**
 * Returns the name as used in addresses: decomposed, without diacritics, lower case, every run of
 * other characters than letters and digits as one dash, trimmed. Empty if nothing remains.
 */
export const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
