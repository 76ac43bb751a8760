/**
 * The name as an address has it (decisions.md, Slug): decomposed, diacritics dropped, lower-cased,
 * every run of what is not a letter or digit of any script one dash, trimmed. Empty when nothing
 * is left.
 */
export const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
