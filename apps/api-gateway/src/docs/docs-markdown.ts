import { markup } from './docs-html.ts';
import type { Html } from './docs-html.ts';

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
