import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import type { Rolldown } from 'vite';

const FOLDER = 'apps/console/src/verify-page';

/**
 * Builds the page that verifies bundles into one HTML file. Its policy admits only its own script
 * and style, by their hashes, and no request, also when it is opened from a disk.
 */
export const buildVerifyPage = async (root: string, outFile: string): Promise<void> => {
  const read = (name: string): Promise<string> => readFile(join(root, FOLDER, name), 'utf8');
  const [template, style] = [await read('verify-page.html'), await read('verify-page.css')];
  const script = await bundleScript(join(root, FOLDER, 'verify-page.ts'));
  if (/<\/script|<!--/i.test(script)) throw new Error('The script would end its element.');
  const policy = [
    "default-src 'none'",
    `script-src ${sourceOf(script)}`,
    `style-src ${sourceOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  // Functions, because the texts contain `$`, which `replace` would interpret.
  const page = template
    .replace('POLICY', () => policy)
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script></script>', () => `<script>${script}</script>`);
  if (!page.includes(`<script>${script}`) || !page.includes(`<style>${style}`)) {
    throw new Error('The template of the verify page has no place for its script or style.');
  }
  await writeFile(outFile, page);
};

const sourceOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

const bundleScript = async (entry: string): Promise<string> => {
  const result = (await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      minify: true,
      lib: { entry, formats: ['iife'], name: 'verifyPage' },
    },
  })) as Rolldown.RolldownOutput[];
  const [output] = result.flatMap((one) => one.output);
  if (output?.type !== 'chunk') throw new Error('The verify page was not bundled.');
  return output.code;
};
