import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

/** An installed package and the files of it that are read. */
export type Package = { name: string; folder: string; files: readonly string[] };

/** Extensions whose files hold code. */
const CODE = new Set(
  `.js .mjs .cjs .ts .mts .cts .jsx .tsx .c .cc .h .hh .cpp .py .rs .go .java .rb .php .cs .swift
   .kt .sh .sql .css .scss .html .proto .yml .yaml .toml .gypi .gyp .mk .cmake .lua .pl`.split(
    /\s+/,
  ),
);
const PROSE = new Set(['.md', '.mdx', '.markdown', '.rst']);

export const isCodeFile = (path: string): boolean => CODE.has(extname(path));
export const isProseFile = (path: string): boolean => PROSE.has(extname(path));
export const isJsonFile = (path: string): boolean => extname(path) === '.json';

/** Files of people rather than of code. */
const LEFT_OUT = /^(?:license|licence|copying|authors|contributors|notice|changelog|history)/i;
const FILE_BYTES_MAX = 400_000;
const DEPTH_MAX = 5;
const FILES_MAX = 400;

/** The packages of a `node_modules` folder, by name, with their readable files by path. */
export const readPackages = (modules: string): Package[] =>
  namesIn(modules)
    .map((name) => ({ name, folder: join(modules, name) }))
    .map((one) => ({ ...one, files: filesIn(one.folder) }))
    .filter(({ files }) => files.length > 0);

const namesIn = (modules: string): string[] =>
  readdirSync(modules)
    .toSorted()
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(modules, name))
            .toSorted()
            .map((one) => `${name}/${one}`)
        : [name],
    )
    // Packages of this repository are links: their prompts are measured by their own tests.
    .filter((name) => !name.startsWith('@witan/'));

const filesIn = (folder: string, depth = 0): string[] => {
  if (depth > DEPTH_MAX) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  return entries
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(path, depth + 1);
      return entry.isFile() && isWanted(path) ? [path] : [];
    })
    .slice(0, FILES_MAX);
};

const isWanted = (path: string): boolean =>
  (isCodeFile(path) || isProseFile(path) || isJsonFile(path)) &&
  !LEFT_OUT.test(basename(path)) &&
  !/\.min\.|\.map$/.test(path) &&
  statSync(path).size <= FILE_BYTES_MAX;

/** The lines of a file. */
export const readText = (path: string): string => readFileSync(path, 'utf8').replaceAll('\r', '');
