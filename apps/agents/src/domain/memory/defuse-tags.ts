/**
 * Escapes every start of a memory tag in untrusted text as `&lt;MEMORY`, which no reader parses as
 * a tag. All other text is unchanged.
 */
export const defuseTags = (text: string): string => text.replaceAll(TAG_START, '&lt;');

const TAG_START = /<(?=\/?memory)/gi;
