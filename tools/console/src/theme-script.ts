import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';

/**
 * Returns a plugin that adds a script which runs before the first paint and sets the chosen theme.
 * It is a file of its own: the content security policy forbids inline scripts, and modules run
 * after the first paint.
 */
export const themeScript = (file: string): Plugin => {
  let reference: string | undefined;
  return {
    name: 'witan-theme-script',
    apply: 'build',
    async buildStart() {
      if (this.environment.name !== 'client') return;
      const source = await readFile(file, 'utf8');
      reference = this.emitFile({ type: 'asset', name: 'theme-script.js', source });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => {
        const asset = Object.values(bundle ?? {}).find(({ fileName }) =>
          /theme-script-.*\.js$/.test(fileName),
        );
        if (asset === undefined || reference === undefined)
          throw new Error('The theme script is missing.');
        return [
          { tag: 'script', attrs: { src: `/console/${asset.fileName}` }, injectTo: 'head-prepend' },
        ];
      },
    },
  };
};
