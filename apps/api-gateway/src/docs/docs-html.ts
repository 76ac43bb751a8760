export type Html = { readonly html: string };

type Part = Html | string | number | false | undefined | readonly Part[];

/**
 * Template tag that builds HTML: escapes texts, inserts HTML and lists of it, omits undefined and
 * false, and removes the template's indentation. It is not named `html`, because formatters
 * reformat templates of that name, which would change the texts that the content security policy
 * identifies by hash.
 */
export const markup = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => {
  let html = unindent(texts[0]!);
  parts.forEach((part, index) => {
    html += toText(part) + unindent(texts[index + 1]!);
  });
  return { html };
};

const unindent = (text: string): string =>
  text.includes('\n') ? text.replaceAll(/\n\s+/g, '\n') : text;

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

export const renderMarkdown = (text: string): Html[] =>
  text
    .split(/\n(?=## )|\n\n+/)
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .flatMap(renderBlock);

const renderBlock = (block: string): Html[] => {
  const [first = '', ...rest] = block.split('\n');
  if (first.startsWith('## ')) {
    const below = rest.length > 0 ? renderBlock(rest.join('\n')) : [];
    return [markup`<h2>${first.slice(3)}</h2>`, ...below];
  }
  if (!block.startsWith('- ')) return [markup`<p>${renderInline(block)}</p>`];
  const items = block.slice(2).split(/\n- /);
  return [
    markup`<ul>
      ${items.map((item) => markup`<li>${renderInline(item)}</li>`)}
    </ul>`,
  ];
};

const CODE_OR_BOLD = /(`[^`]+`|\*\*[^*]+\*\*)/;

export const renderInline = (text: string): Html[] =>
  text.split(CODE_OR_BOLD).map((part) => {
    if (part.startsWith('`') && part.length > 2) return markup`<code>${part.slice(1, -1)}</code>`;
    if (part.startsWith('**')) return markup`<strong>${part.slice(2, -2)}</strong>`;
    return markup`${part}`;
  });

export const renderSample = (value: unknown): Html =>
  markup`<pre tabindex="0"><code>${
    typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
  }</code></pre>`;
