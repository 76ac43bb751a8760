import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FOLDERS, withVariables } from '../config.ts';
import { LOW_PRIORITY, runCommand, tryCommand } from '../run-command.ts';

export type ImageConfig = {
  from: string;
  /** Files and folders of this machine by their path in the image. */
  copies: Readonly<Record<string, string>>;
  /** Commands that run in the image's root file system. */
  commands?: readonly string[];
  /** Options of `buildah config`. */
  config?: readonly string[];
};

/** Builds images with buildah, in a storage of its own and without a registry. */
export type Buildah = {
  exists: (image: string) => Promise<boolean>;
  make: (image: string, config: ImageConfig) => Promise<void>;
  /** Builds a folder with a Dockerfile. */
  build: (image: string, folder: string, args: readonly string[]) => Promise<void>;
  /** Writes the image to an archive that containerd imports. */
  save: (image: string, archive: string) => Promise<void>;
};

export const openBuildah = async (): Promise<Buildah> => {
  const { buildah: folder } = FOLDERS;
  const temporary = join(folder, 'tmp');
  await mkdir(temporary, { recursive: true });
  const storage = { graphroot: join(folder, 'root'), runroot: join(folder, 'run') };
  const lines = Object.entries(storage).map(([key, path]) => `${key} = "${path}"`);
  const files = {
    'storage.conf': `[storage]\ndriver = "overlay"\n${lines.join('\n')}\n`,
    'registries.conf': 'unqualified-search-registries = []\n',
    'policy.json': '{"default":[{"type":"insecureAcceptAnything"}]}\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const env = withVariables({
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
    CONTAINERS_REGISTRIES_CONF: join(folder, 'registries.conf'),
    // Needs no runtime and no cgroup of its own.
    BUILDAH_ISOLATION: 'chroot',
    TMPDIR: temporary,
  });
  const run = async (...args: string[]): Promise<string> =>
    (await runCommand([...LOW_PRIORITY, 'buildah', ...args], { env })).trim();
  return {
    exists: async (image) =>
      (await tryCommand(['buildah', 'images', '-q', image], { env })).code === 0,
    make: async (image, { from, copies, commands = [], config = [] }) => {
      const container = await run('from', '--pull-never', from);
      for (const [target, source] of Object.entries(copies)) {
        await run('add', '-q', container, source, target);
      }
      for (const command of commands) await run('run', container, '--', 'sh', '-ec', command);
      if (config.length > 0) await run('config', ...config, container);
      await run('commit', '-q', '--rm', container, image);
    },
    build: async (image, context, args) => {
      await run('bud', '-q', '--pull-never', ...args, '-t', image, context);
    },
    save: async (image, archive) => {
      await rm(archive, { force: true });
      const policy = join(folder, 'policy.json');
      await run(
        'push',
        '--signature-policy',
        policy,
        '-q',
        image,
        `docker-archive:${archive}:${image}`,
      );
    },
  };
};
