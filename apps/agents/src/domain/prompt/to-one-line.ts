/** All that some reader takes for the end of a line; Windows' two characters count as one. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/** A text in which every line end has become a space, for headings and lists. */
export const toOneLine = (text: string): string => text.replaceAll(LINE_END, ' ');
