const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

export const toOneLine = (text: string): string => text.replaceAll(LINE_END, ' ');
