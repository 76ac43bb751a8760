import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { overlaysOf } from '../src/check-manifests.ts';
import { readFiles } from '../src/files.ts';
import { compose, readManifests } from '../src/kustomize/compose.ts';
import { titleOf } from '../src/manifest.ts';
import { sortNamedEntries } from '../src/sort-named-entries.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BYTES_MAX = 16 * 1024 * 1024;

const TOOL = [
  { command: 'kustomize', build: 'build', version: ['version'] },
  { command: 'kubectl', build: 'kustomize', version: ['kustomize', '--help'] },
].find(({ command, version }) => spawnSync(command, version).status === 0);
const describeTool = TOOL ? describe : describe.skip;

const { files, folders } = overlaysOf(readFiles(ROOT, []));

describeTool(`compose${TOOL ? '' : ' (neither kustomize nor kubectl is on PATH)'}`, () => {
  let copy: string;
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'witan-manifests-'));
    await cp(join(ROOT, 'deploy/k8s'), join(copy, 'deploy/k8s'), { recursive: true });
    for (const folder of folders) {
      const path = join(copy, folder, 'kustomization.yaml');
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, files.get(`${folder}/kustomization.yaml`)!);
    }
  });
  afterAll(() => rm(copy, { recursive: true }));

  it.each(folders)('composes %s like kustomize', async (folder) => {
    const { command, build } = TOOL!;
    const output = await promisify(execFile)(command, [build, join(copy, folder)], {
      maxBuffer: BYTES_MAX,
    });
    const expected = readManifests(folder, output.stdout);
    const byTitle = (manifests: ReturnType<typeof compose>) =>
      Object.fromEntries(manifests.map((one) => [titleOf(one), sortNamedEntries(one)]));
    expect(byTitle(compose(files, folder))).toEqual(byTitle(expected));
  });
});
