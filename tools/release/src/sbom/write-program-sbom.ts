import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { bundleProgram } from '../bundle/bundle-program.ts';
import type { Program } from '../bundle/programs.ts';
import { hashFiles } from '../hash-files.ts';
import type { FileHashes } from '../hash-files.ts';
import { toProgramSbom } from './to-program-sbom.ts';
import type { Sbom } from './to-program-sbom.ts';

/** `files` are the hashes of the bundle that the SBOM describes. */
export type WrittenSbom = { file: string; packages: readonly string[]; files: FileHashes };

/**
 * Writes `<name>.cdx.json` with the packages in the bundle of a program, which it builds for that.
 */
export const writeProgramSbom = async (
  { root, all, version }: { root: string; all: Sbom; version: string },
  program: Program,
  folder: string,
): Promise<WrittenSbom> => {
  const bundle = await mkdtemp(join(tmpdir(), 'witan-sbom-'));
  try {
    const { packages } = await bundleProgram(root, program, bundle);
    const contents = { version, nodeVersion: process.versions.node, packages };
    const sbom = toProgramSbom(all, { name: program.name, ...contents });
    const file = join(folder, `${program.name}.cdx.json`);
    await writeFile(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
    return { file, packages, files: await hashFiles(bundle) };
  } finally {
    await rm(bundle, { recursive: true, force: true });
  }
};
