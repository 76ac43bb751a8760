import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readSqlFunctions } from '@witan/service-kit';
import type { Plugin } from 'esbuild';
import protobuf from 'protobufjs';

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

const LOADS_FILE = "loadSync)('health/v1/health.proto', {";

/**
 * Puts the proto file of grpc-health-check into the bundle, because the package reads the file at
 * run time.
 */
export const inlineHealthProto: Plugin = {
  name: 'inline-health-proto',
  setup: (build) => {
    build.onLoad({ filter: /\/grpc-health-check\/build\/src\/health\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes(LOADS_FILE)) {
        return { errors: [{ text: `${path} does not read its contract as it did: look at it.` }] };
      }
      const proto = join(path, '../../../proto/health/v1/health.proto');
      const parsed = protobuf.parse(await readFile(proto, 'utf8'), { keepCase: true });
      const contract = JSON.stringify(parsed.root.toJSON());
      return { contents: text.replace(LOADS_FILE, () => `fromJSON)(${contract}, {`), loader: 'js' };
    });
  },
};

const READS_FOLDER = /readSqlFunctions\(\s*new URL\('(\.[^']*\/)', import\.meta\.url\),?\s*\)/g;

/**
 * Puts the SQL functions of a service into the bundle, because the service would read them from
 * files at run time.
 */
export const inlineSqlFunctions: Plugin = {
  name: 'inline-sql-functions',
  setup: (build) => {
    build.onLoad({ filter: /\/migrations\/migrations\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replaceAll(READS_FOLDER, (_call, folder: string) =>
        JSON.stringify(readSqlFunctions(new URL(folder, pathToFileURL(path)))),
      );
      return { contents, loader: 'ts' };
    });
  },
};
