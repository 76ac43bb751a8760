/** Escapes memory tags in untrusted text as `&lt;MEMORY`, which is not parsed as a tag. */
export const escapeMemoryTags = (text: string): string => text.replaceAll(TAG_START, '&lt;');

const TAG_START = /<(?=\/?memory)/gi;
