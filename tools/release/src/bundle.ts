import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleProgram } from './bundle/bundle-program.ts';
import { selectPrograms } from './bundle/programs.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const KIBIBYTE = 1024;

/** Runs `npm run bundle -- [NAME ...] [--out FOLDER]`. Without names, bundles all programs. */
const main = async (): Promise<void> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string', default: join(ROOT, 'dist/bundles') } },
  });
  for (const program of selectPrograms(positionals)) {
    const { folder, files } = await bundleProgram(ROOT, program, join(values.out, program.name));
    const bytes = Object.values(files).reduce((sum, one) => sum + one, 0);
    const kibibytes = Math.round(bytes / KIBIBYTE);
    process.stdout.write(`${folder}: ${Object.keys(files).length} files, ${kibibytes} KiB\n`);
  }
};

await main();
