import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build } from 'vite';
import { setProduction } from './config.ts';
import { packagesFile, siteFolder, sourcesFile, unfinishedFolder } from './console-folder.ts';
import { hashSources } from './hash-sources.ts';
import { listPackages } from './list-packages.ts';
import { viteOptions } from './vite-options.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Files below this size are sent as they are: compression would not save a network packet. */
const COMPRESS_FROM_BYTES = 1_024;

const compress = promisify(brotliCompress);

/**
 * Builds the console and writes a Brotli copy beside each file that gains from it. The hash of the
 * sources is written last, so that an interrupted build is repeated.
 */
const main = async (): Promise<void> => {
  setProduction();
  const startedAt = performance.now();
  const sources = await hashSources(ROOT);
  await rm(sourcesFile(ROOT), { force: true });
  const modules: string[] = [];
  await build(viteOptions(ROOT, (path) => modules.push(path)));
  const bytes = await compressFiles(unfinishedFolder(ROOT));
  await rm(siteFolder(ROOT), { recursive: true, force: true });
  await rename(unfinishedFolder(ROOT), siteFolder(ROOT));
  await writeFile(packagesFile(ROOT), JSON.stringify(await listPackages(ROOT, modules)));
  await writeFile(sourcesFile(ROOT), sources);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(
    `The console is built: ${Math.round(bytes / 1_024)} KiB compressed, in ${seconds} s\n`,
  );
};

/** Returns the total size of the files as they are sent. */
const compressFiles = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const file = join(entry.parentPath, entry.name);
      const content = await readFile(file);
      if (content.length < COMPRESS_FROM_BYTES) return content.length;
      const compressed = await compress(content, {
        params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
      });
      if (compressed.length >= content.length) return content.length;
      await writeFile(`${file}.br`, compressed);
      return compressed.length;
    });
  return (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
};

await main();
