/**
 * Text that a model is given but did not write, with every start of a memory tag made harmless
 * (C5, injection rule 2): `&lt;MEMORY`, which no reader takes for a tag. Everything else stays.
 */
export const defuseTags = (text: string): string => text.replaceAll(TAG_START, '&lt;');

const TAG_START = /<(?=\/?memory)/gi;
