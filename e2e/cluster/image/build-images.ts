import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PROGRAMS } from '@witan/release/bundle/programs';
import { FOLDERS } from '../config.ts';
import { log, LOW_PRIORITY, runCommand } from '../run-command.ts';
import { openBuildah } from './buildah.ts';
import { buildServiceImage } from './service-image.ts';
import { BASE_IMAGES, SUPPORT_IMAGES } from './support-images.ts';

const SUITE = 'bookworm';

/**
 * Builds all images that the cluster and the overlays name, and writes an archive of each to
 * `FOLDERS.images`. Images of the project are always built, others only if their archive is
 * missing.
 */
export const buildImages = async (version: string): Promise<void> => {
  await mkdir(FOLDERS.images, { recursive: true });
  await makeBaseFolder();
  const buildah = await openBuildah();
  for (const { image, config } of BASE_IMAGES) {
    if (!(await buildah.exists(image))) await buildah.make(image, await config());
  }
  for (const { image, archive, config } of SUPPORT_IMAGES) {
    const path = join(FOLDERS.images, archive);
    if (existsSync(path)) continue;
    log(`image ${image}`);
    await buildah.make(image, await config());
    await buildah.save(image, path);
  }
  for (const program of PROGRAMS) {
    const image = `docker.io/witan/${program.name}:${version}`;
    log(`image ${image}`);
    await buildServiceImage(buildah, program, image);
    await buildah.save(image, join(FOLDERS.images, `witan-${program.name}.tar`));
  }
};

/** Installs Debian into a folder, from the mirror that this machine uses. */
const makeBaseFolder = async (): Promise<void> => {
  if (existsSync(FOLDERS.base)) return;
  const partial = `${FOLDERS.base}.partial`;
  const targets = await runCommand(['apt-get', 'indextargets', '--format', '$(REPO_URI)']);
  const mirror = targets.split('\n').find((uri) => uri.includes('debian')) ?? '';
  const include = '--include=ca-certificates,libstdc++6';
  log(`installing Debian ${SUITE} into ${FOLDERS.base}`);
  await runCommand(['rm', '-rf', partial]);
  await runCommand([
    ...LOW_PRIORITY,
    'debootstrap',
    '--variant=minbase',
    include,
    SUITE,
    partial,
    mirror,
  ]);
  await runCommand(['mv', partial, FOLDERS.base]);
};
