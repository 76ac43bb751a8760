/**
 * Replaces the `<` of memory tags in untrusted text by `&lt;`, so that they are not parsed as tags.
 */
export const escapeMemoryTags = (text: string): string => text.replaceAll(TAG_START, '&lt;');

const TAG_START = /<(?=\/?memory)/gi;
