import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

export type Package = { name: string; folder: string; files: readonly string[] };

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

const EXCLUDED = /^(?:license|licence|copying|authors|contributors|notice|changelog|history)/i;
const FILE_BYTES_MAX = 400_000;
const DEPTH_MAX = 5;
const FILES_MAX = 400;

/** Returns the packages in a `node_modules` folder that have files to sample, sorted by name. */
export const readPackages = (modules: string): Package[] =>
  packageNames(modules)
    .map((name) => ({ name, folder: join(modules, name) }))
    .map((entry) => ({ ...entry, files: listFiles(entry.folder) }))
    .filter(({ files }) => files.length > 0);

const packageNames = (modules: string): string[] =>
  readdirSync(modules)
    .toSorted()
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(modules, name))
            .toSorted()
            .map((packageName) => `${name}/${packageName}`)
        : [name],
    )
    // Excludes the packages of this repository, which npm links into `node_modules`.
    .filter((name) => !name.startsWith('@witan/'));

const listFiles = (folder: string, depth = 0): string[] => {
  if (depth > DEPTH_MAX) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  return entries
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return entry.name === 'node_modules' ? [] : listFiles(path, depth + 1);
      return entry.isFile() && isWanted(path) ? [path] : [];
    })
    .slice(0, FILES_MAX);
};

const isWanted = (path: string): boolean =>
  (isCodeFile(path) || isProseFile(path) || isJsonFile(path)) &&
  !EXCLUDED.test(basename(path)) &&
  !/\.min\.|\.map$/.test(path) &&
  statSync(path).size <= FILE_BYTES_MAX;

export const readText = (path: string): string => readFileSync(path, 'utf8').replaceAll('\r', '');
