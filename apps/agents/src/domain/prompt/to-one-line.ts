/** All line terminators; CR LF counts as one. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/** Returns a text with each line end replaced by a space, for headings and lists. */
export const toOneLine = (text: string): string => text.replaceAll(LINE_END, ' ');
