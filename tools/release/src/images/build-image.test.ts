import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { buildImage } from './build-image.ts';
import type { BuildOptions } from './build-image.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

const build = async (engine: BuildOptions['engine'], digests: string) => {
  const calls: string[][] = [];
  const run = async (_command: string, argv: readonly string[]): Promise<string> => {
    calls.push([...argv]);
    const file = argv[argv.indexOf('--iidfile') + 1]!;
    if (argv[0] === 'build') await writeFile(file, `${'b'.repeat(64)}\n`);
    return digests;
  };
  const source = {
    version: '1.2.3',
    revision: 'abc',
    created: new Date(5000),
    source: 'https://example.org/witan.git',
  };
  const options = { root: '/', engine, run, name: 'ledger', source, nodeImage: 'node:24' };
  return { image: await buildImage(options), argv: calls[0]!.join(' ') };
};

describe('buildImage', () => {
  it('passes version, revision and labels, with the time of the commit', async () => {
    const { image, argv } = await build('buildah', `${DIGEST}\n`);
    expect(image).toEqual({
      name: 'ledger',
      tag: 'witan/ledger:1.2.3',
      id: `sha256:${'b'.repeat(64)}`,
      digest: DIGEST,
    });
    for (const part of [
      '--timestamp 5',
      '--build-arg SERVICE=ledger',
      '--build-arg VERSION=1.2.3',
      '--build-arg REVISION=abc',
      '--build-arg NODE_IMAGE=node:24',
      '--label org.opencontainers.image.version=1.2.3',
      '--label org.opencontainers.image.revision=abc',
      '--label org.opencontainers.image.source=https://example.org/witan.git',
      '--label org.opencontainers.image.created=1970-01-01T00:00:05.000Z',
    ]) {
      expect(argv).toContain(part);
    }
  });

  it('has no digest of a manifest with Docker before a push', async () => {
    expect((await build('docker', '[]')).image.digest).toBeUndefined();
    expect((await build('docker', `["witan/ledger@${DIGEST}"]`)).image.digest).toBe(DIGEST);
  });
});
