import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Plugin } from 'esbuild';

/** How our code names a file that runs as a thread or process of its own. */
const THREAD_URL = /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g;

/**
 * Threads and child processes are started by the URL of their file, which a bundle does not have:
 * their URL becomes that of a bundle of their own beside it. Every file that is found goes to
 * `onThread`. Two of one name would be one file, which is an error.
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
