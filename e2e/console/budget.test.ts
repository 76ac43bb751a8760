import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ensureConsole, readConsolePackages } from '@witan/console-build/ensure-console';
import { OPEN_TIMEOUT_MS } from './open-console.ts';

/** The most that the first load may send, compressed, in bytes. */
const FIRST_LOAD_BYTES_MAX = 250_000;

/** The chunks that the first page after the sign-in loads on demand. */
const FIRST_PAGE = ['shell', 'council'] as const;

/** Vite lists the files of all chunks once, and the indexes of a chunk's files at its import. */
const FILES = /m\.f=\[([^\]]*)\]/;
const indexesOf = (chunk: string): RegExp =>
  new RegExp(`import\\(.\\./${chunk}-[\\w-]+\\.js.\\),__vite__mapDeps\\(\\[([\\d,]+)\\]\\)`);

const IMPORTED = /(?:from|import)\s*"\.\/([\w-]+\.js)"/g;
const NAMED = /(?:src|href)="\/console\/assets\/([^"]+)"/g;

describe('the first load of the console', () => {
  let site: string;

  beforeAll(async () => {
    site = await ensureConsole();
  }, OPEN_TIMEOUT_MS);

  const read = (name: string): string => readFileSync(join(site, 'assets', name), 'utf8');
  const sentBytes = (file: string): number =>
    statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size;

  /** Returns the files that the entry file loads for a chunk, with its styles. */
  const listChunk = (chunk: string): string[] => {
    const entries = readdirSync(join(site, 'assets')).filter((name) => /^index-.*\.js$/.test(name));
    for (const entry of entries.map(read)) {
      const [, files] = FILES.exec(entry) ?? [];
      const [, indexes] = indexesOf(chunk).exec(entry) ?? [];
      if (files === undefined || indexes === undefined) continue;
      const paths = JSON.parse(`[${files}]`) as string[];
      return indexes.split(',').map((index) => basename(paths[Number(index)]!));
    }
    throw new Error(`No entry file loads the chunk ${chunk}.`);
  };

  const findLoaded = (): Set<string> => {
    const page = readFileSync(join(site, 'index.html'), 'utf8');
    const names = [...page.matchAll(NAMED)].map(([, name]) => name!);
    const lazy = FIRST_PAGE.flatMap(listChunk);
    const loaded = new Set<string>();
    const queue = [...names, ...lazy];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (loaded.has(name)) continue;
      loaded.add(name);
      if (name.endsWith('.js'))
        queue.push(...[...read(name).matchAll(IMPORTED)].map(([, one]) => one!));
    }
    return loaded;
  };

  it('is listed by package, with its worker, for the bill of materials', async () => {
    const packages = (await readConsolePackages()).map((one) => one.replace(/@[^@]+$/, ''));
    expect(packages).toEqual(expect.arrayContaining(['react', 'react-dom', '@noble/ed25519']));
  });

  it('stays within its budget', () => {
    const loaded = findLoaded();
    // More than the entry file: otherwise the imports were not found.
    expect(loaded.size).toBeGreaterThan(8);
    const files = [
      join(site, 'index.html'),
      ...[...loaded].map((name) => join(site, 'assets', name)),
    ];
    const sizes = Object.fromEntries(files.map((file) => [basename(file), sentBytes(file)]));
    const total = Object.values(sizes).reduce((sum, one) => sum + one, 0);
    expect({ sizes, isWithin: total <= FIRST_LOAD_BYTES_MAX }).toEqual({ sizes, isWithin: true });
  });
});
