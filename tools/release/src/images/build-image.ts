import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunCommand } from '../run-command.ts';
import type { Engine } from './find-engine.ts';
import { toLabels } from './to-labels.ts';
import type { ImageSource } from './to-labels.ts';

export const NODE_IMAGE = 'node:24.21.0-bookworm-slim';

export type BuildOptions = {
  root: string;
  engine: Engine;
  run: RunCommand;
  name: string;
  source: ImageSource;
  nodeImage: string;
};

export type BuiltImage = { name: string; tag: string; id: string; digest: string | undefined };

const MILLISECONDS = 1000;

/** Builds the image of one program from the Dockerfile, with the tag `witan/<name>:<version>`. */
export const buildImage = async (options: BuildOptions): Promise<BuiltImage> => {
  const { engine, run, name, source, root } = options;
  const tag = `witan/${name}:${source.version}`;
  const folder = await mkdtemp(join(tmpdir(), 'witan-image-'));
  try {
    const idFile = join(folder, 'id');
    const argv = toBuildArguments(options, tag, idFile);
    await run(engine, argv, { cwd: root });
    const id = (await readFile(idFile, 'utf8')).trim();
    return { name, tag, id: withAlgorithm(id), digest: await readDigest(run, engine, tag) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const withAlgorithm = (id: string): string => (id.startsWith('sha256:') ? id : `sha256:${id}`);

export const toBuildArguments = (
  { engine, name, source, nodeImage }: BuildOptions,
  tag: string,
  idFile: string,
): string[] => {
  const seconds = Math.floor(source.created.getTime() / MILLISECONDS);
  const time =
    engine === 'buildah'
      ? ['--layers', '--timestamp', String(seconds)]
      : ['--build-arg', `SOURCE_DATE_EPOCH=${seconds}`];
  return [
    'build',
    ...time,
    ...['--file', 'deploy/docker/Dockerfile', '--iidfile', idFile, '--tag', tag],
    ...Object.entries({
      SERVICE: name,
      VERSION: source.version,
      REVISION: source.revision,
      NODE_IMAGE: nodeImage,
    }).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]),
    ...Object.entries(toLabels(source)).flatMap(([key, value]) => ['--label', `${key}=${value}`]),
    '.',
  ];
};

/**
 * Returns the digest of an image's manifest, or undefined: Docker knows it only of images that were
 * pulled or pushed.
 */
export const readDigest = async (
  run: RunCommand,
  engine: Engine,
  image: string,
): Promise<string | undefined> => {
  // Not `docker image inspect`, which fails for a base image that only BuildKit has.
  const digests = engine === 'docker' ? ['--digests'] : [];
  const text = await run(engine, ['images', ...digests, '--format', '{{.Digest}}', image]);
  return /sha256:[\da-f]{64}/.exec(text)?.[0];
};
