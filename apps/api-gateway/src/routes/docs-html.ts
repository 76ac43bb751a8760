/** HTML that may be put into a page as it is. */
export type Html = { readonly html: string };

type Part = Html | string | number | false | undefined | readonly Part[];

/**
 * Text in a template is escaped; HTML and lists of it are not; what is not there is nothing.
 * Indentation of the template itself is left out. It is not called `html`, for formatters would
 * then put white space into what a policy names by its hash.
 */
export const markup = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => {
  let html = unindent(texts[0]!);
  parts.forEach((part, at) => {
    html += toText(part) + unindent(texts[at + 1]!);
  });
  return { html };
};

const unindent = (text: string): string =>
  text.includes('\n') ? text.replaceAll(/\n\s+/g, '\n') : text;

/** Markup that no template made: a style or a script of our own. */
export const trusted = (text: string): Html => ({ html: text });

const toText = (part: Part): string => {
  if (part === false || part === undefined) return '';
  if (isList(part)) return part.map(toText).join('');
  return typeof part === 'object' ? part.html : escape(String(part));
};

const isList = (part: Part): part is readonly Part[] => Array.isArray(part);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one]!);
