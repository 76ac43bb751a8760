import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { bundleProgram } from './bundle/bundle-program.ts';
import { selectPrograms } from './bundle/programs.ts';
import { readToolEnv } from './config.ts';
import { toProgramSbom } from './sbom/to-program-sbom.ts';
import type { Sbom } from './sbom/to-program-sbom.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Runs `npm run sbom [-- NAME ...] [--out FOLDER]`: writes a CycloneDX document for each image. */
const main = async (): Promise<void> => {
  const out = { type: 'string', default: join(ROOT, 'dist/sbom') } as const;
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { out } });
  const folder = values.out;
  const programs = selectPrograms(positionals);
  const all = await fetchNpmSbom();
  const manifest = await readFile(join(ROOT, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  await mkdir(folder, { recursive: true });
  const bundles = await mkdtemp(join(tmpdir(), 'witan-sbom-'));
  try {
    for (const program of programs) {
      const { packages } = await bundleProgram(ROOT, program, join(bundles, program.name));
      const contents = { version, nodeVersion: process.versions.node, packages };
      const sbom = toProgramSbom(all, { name: program.name, ...contents });
      const file = join(folder, `${program.name}.cdx.json`);
      await writeFile(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
      process.stdout.write(`${file}: ${packages.length} packages\n`);
    }
  } finally {
    await rm(bundles, { recursive: true, force: true });
  }
};

/**
 * Lists all packages. npm ignores the workspace option here. Omitting development packages would
 * also omit packages that are used for both, such as `pg`.
 */
const fetchNpmSbom = async (): Promise<Sbom> => {
  const argv = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { stdout } = await promisify(execFile)('npm', argv, {
    cwd: ROOT,
    env: readToolEnv(),
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return JSON.parse(stdout) as Sbom;
};

await main();
