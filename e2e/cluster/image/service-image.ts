import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from '@witan/release/bundle/bundle-program';
import type { Program } from '@witan/release/bundle/programs';
import { FOLDERS } from '../config.ts';
import type { Buildah } from './buildah.ts';
import { replaceBuildStage } from './replace-build-stage.ts';
import { NODE_IMAGE } from './support-images.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Builds the image of a program from this working tree: bundles it on this machine, and runs the
 * last stage of the project's Dockerfile on the bundle.
 */
export const buildServiceImage = async (
  buildah: Buildah,
  program: Program,
  image: string,
): Promise<void> => {
  const folder = join(FOLDERS.bundles, program.name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await bundleProgram(ROOT, program, join(folder, 'app'));
  const dockerfile = await readFile(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8');
  await writeFile(join(folder, 'Dockerfile'), replaceBuildStage(dockerfile));
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const args = { NODE_IMAGE, SERVICE: program.name };
  const flags = Object.entries(args).flatMap(([name, value]) => [
    '--build-arg',
    `${name}=${value}`,
  ]);
  await buildah.build(image, folder, flags);
};
