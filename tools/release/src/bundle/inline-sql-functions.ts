import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { readSqlFunctions } from '@witan/service-kit';

const READS_FOLDER = /readSqlFunctions\(\s*new URL\('(\.[^']*\/)', import\.meta\.url\),?\s*\)/g;

/** Puts the SQL functions of a service into the bundle, because the service reads their files. */
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
