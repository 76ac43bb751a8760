import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsPaths } from '../src/tls/read-tls-files.ts';

type SecretFiles = Readonly<Record<'tls.crt' | 'tls.key' | 'ca.crt', string>>;

/** A folder with the files of a Secret, as the kubelet mounts it in a pod. */
export type MountedSecret = AsyncDisposable & {
  paths: TlsPaths;
  /** Replaces all files at once. */
  update: (files: SecretFiles) => Promise<void>;
  /** Overwrites one file in place, as other tools do; undefined deletes it. */
  write: (name: keyof SecretFiles, text: string | undefined) => Promise<void>;
};

/**
 * Mounts a Secret: each file is a link into `..data`, a link to a folder with a version of all
 * files. An update replaces the link `..data` and then deletes the previous folder.
 */
export const mountSecret = async (files: SecretFiles): Promise<MountedSecret> => {
  const root = await mkdtemp(join(tmpdir(), 'witan-secret-'));
  let version = 0;
  const update = async (next: SecretFiles): Promise<void> => {
    version += 1;
    const folder = `..version_${version}`;
    await mkdir(join(root, folder));
    for (const [name, text] of Object.entries(next))
      await writeFile(join(root, folder, name), text);
    await symlink(folder, join(root, '..data_tmp'));
    await rename(join(root, '..data_tmp'), join(root, '..data'));
    await rm(join(root, `..version_${version - 1}`), { recursive: true, force: true });
  };
  await update(files);
  for (const name of Object.keys(files)) await symlink(join('..data', name), join(root, name));
  return {
    paths: {
      certFile: join(root, 'tls.crt'),
      keyFile: join(root, 'tls.key'),
      caFile: join(root, 'ca.crt'),
    },
    update,
    write: (name, text) => {
      const path = join(root, '..data', name);
      return text === undefined ? rm(path) : writeFile(path, text);
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
};
