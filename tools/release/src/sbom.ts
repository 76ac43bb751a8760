import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { VERSION } from '@witan/service-kit/release';
import { selectPrograms } from './bundle/programs.ts';
import { runCommand } from './run-command.ts';
import { fetchNpmSbom } from './sbom/fetch-npm-sbom.ts';
import { writeProgramSbom } from './sbom/write-program-sbom.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs `npm run sbom [-- NAME ...] [--out FOLDER]`: writes a CycloneDX document for each image. */
const main = async (): Promise<void> => {
  const out = { type: 'string', default: join(ROOT, 'dist/sbom') } as const;
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { out } });
  const programs = selectPrograms(positionals);
  const all = await fetchNpmSbom(ROOT, runCommand);
  await mkdir(values.out, { recursive: true });
  for (const program of programs) {
    const parts = { root: ROOT, all, version: VERSION };
    const { file, packages } = await writeProgramSbom(parts, program, values.out);
    process.stdout.write(`${file}: ${packages.length} packages\n`);
  }
};

await main();
