import { readFile } from 'node:fs/promises';
import type { HtmlTagDescriptor, Plugin } from 'vite';

type HeadFile = {
  /** Name of the built file, to which a hash is added. */
  name: string;
  /** Source from which its content is made. */
  file: string;
  contentOf: (source: string) => string;
  tagOf: (url: string) => Pick<HtmlTagDescriptor, 'tag' | 'attrs'>;
};

/** Returns a plugin that builds a file which the page loads before all others. */
const headFile = ({ name, file, contentOf, tagOf }: HeadFile): Plugin => {
  const [stem, ending] = name.split('.') as [string, string];
  const isBuilt = ({ fileName }: { fileName: string }): boolean =>
    fileName.includes(`/${stem}-`) && fileName.endsWith(`.${ending}`);
  return {
    name: `witan-${stem}`,
    apply: 'build',
    async buildStart() {
      if (this.environment.name !== 'client') return;
      const source = contentOf(await readFile(file, 'utf8'));
      this.emitFile({ type: 'asset', name, source });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => {
        const asset = Object.values(bundle ?? {}).find(isBuilt);
        if (asset === undefined) throw new Error(`${name} is missing.`);
        return [{ ...tagOf(`/console/${asset.fileName}`), injectTo: 'head-prepend' }];
      },
    },
  };
};

/**
 * Returns a plugin that adds a script which runs before the first paint and sets the chosen theme.
 * It is a file of its own: the content security policy forbids inline scripts, and modules run
 * after the first paint.
 */
export const themeScript = (file: string): Plugin =>
  headFile({
    name: 'theme-script.js',
    file,
    contentOf: (source) => source,
    tagOf: (src) => ({ tag: 'script', attrs: { src } }),
  });

/**
 * Returns a plugin that adds a style sheet with the order of layers that `file` states. The first
 * sheet of the page decides the order, and which of the others comes first depends on how the
 * bundler splits them.
 */
export const layerOrder = (file: string): Plugin =>
  headFile({
    name: 'layers.css',
    file,
    contentOf: (source) => {
      const [statement] = /^@layer [^;{]+;/m.exec(source) ?? [];
      if (statement === undefined) throw new Error(`${file} does not state the order of layers.`);
      return statement;
    },
    tagOf: (href) => ({ tag: 'link', attrs: { rel: 'stylesheet', href } }),
  });
