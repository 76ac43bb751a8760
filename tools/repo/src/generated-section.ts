export type GeneratedSection = { page: string; begin: string; end: string };

export const replaceSection = (
  section: GeneratedSection,
  page: string,
  content: string,
): string => {
  const [before, rest] = splitAt(section, page, section.begin);
  const [, after] = splitAt(section, rest, section.end);
  return `${before}${section.begin}\n\n${content}\n\n${section.end}${after}`;
};

/** Returns true if two pages are equal apart from the padding that the formatter adds to tables. */
export const isSamePage = (a: string, b: string): boolean =>
  withoutPadding(a) === withoutPadding(b);

const splitAt = (section: GeneratedSection, text: string, marker: string): [string, string] => {
  const index = text.indexOf(marker);
  if (index === -1) throw new Error(`${section.page} lacks the line ${marker}`);
  return [text.slice(0, index), text.slice(index + marker.length)];
};

const withoutPadding = (text: string): string =>
  text.replaceAll(/^\|[ |-]+$/gm, (row) => row.replaceAll(/-+/g, '-')).replaceAll(/ +/g, ' ');
