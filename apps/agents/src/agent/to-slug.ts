/**
 * Returns a name as it is used in model addresses: in lower case, without accents, with dashes
 * between words; empty if the name has no letter or digit.
 */
export const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
