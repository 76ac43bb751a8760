import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunCommand } from '../run-command.ts';
import type { Engine } from './find-engine.ts';

export type ImageRoot = AsyncDisposable & { folder: string };

/** Opens the root file system of an image as a folder. Nothing in the image is run. */
export const openRoot = async (
  run: RunCommand,
  engine: Engine,
  image: string,
): Promise<ImageRoot> =>
  engine === 'buildah' ? await mountRoot(run, image) : await exportRoot(run, image);

/** Without root privileges, buildah mounts only within `buildah unshare`; its error says so. */
const mountRoot = async (run: RunCommand, image: string): Promise<ImageRoot> => {
  const container = (await run('buildah', ['from', '--pull-never', image])).trim();
  const remove = async (): Promise<void> => void (await run('buildah', ['rm', container]));
  try {
    const folder = (await run('buildah', ['mount', container])).trim();
    return { folder, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
};

const exportRoot = async (run: RunCommand, image: string): Promise<ImageRoot> => {
  const folder = await mkdtemp(join(tmpdir(), 'witan-root-'));
  const archive = `${folder}.tar`;
  const container = (await run('docker', ['create', image])).trim();
  try {
    await run('docker', ['export', '--output', archive, container]);
    await run('tar', ['--extract', '--preserve-permissions', '--file', archive, '-C', folder]);
  } finally {
    await run('docker', ['rm', container]);
    await rm(archive, { force: true });
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
};

/** The configuration of an image, of which the engines print the same fields. */
export type ImageConfig = {
  User?: string;
  Env?: string[];
  Entrypoint?: string[];
  Labels?: Record<string, string>;
};

export const readImageConfig = async (
  run: RunCommand,
  engine: Engine,
  image: string,
): Promise<ImageConfig> => {
  if (engine === 'docker') {
    return JSON.parse(
      await run('docker', ['image', 'inspect', '--format', '{{json .Config}}', image]),
    ) as ImageConfig;
  }
  const text = await run('buildah', ['inspect', '--type', 'image', image]);
  const { OCIv1 } = JSON.parse(text) as { OCIv1: { config: ImageConfig } };
  return OCIv1.config;
};
