import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Plugin } from 'esbuild';

const THREAD_URL = /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g;

/**
 * Replaces the URL of the source file of a thread or child process by the URL of its own bundle,
 * and reports the file to `onThread`. Throws if two files have the same name.
 */
export const threadFiles = (onThread: (file: string) => void): Plugin => ({
  name: 'thread-files',
  setup: (build) => {
    const known = new Map<string, string>();
    build.onLoad({ filter: /\/(apps|libs|tools)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      for (const [, name = ''] of text.matchAll(THREAD_URL)) {
        const file = join(path, '..', `${name}.ts`);
        const other = known.get(name) ?? file;
        if (other !== file) {
          return { errors: [{ text: `${file} and ${other} would be one ${basename(file)}.` }] };
        }
        known.set(name, file);
        onThread(file);
      }
      const contents = text.replaceAll(THREAD_URL, "new URL('./$1.js', import.meta.url)");
      return { contents, loader: 'ts' };
    });
  },
});
