import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { scanConfig, scanRoot } from './scan-root.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('scanRoot', () => {
  let root: string;
  const write = async (path: string, text = '', mode = 0o644): Promise<void> => {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await chmod(file, mode);
  };
  /** Files belong to root in an image, and to the user of the test here. */
  const scan = async (): Promise<string[]> =>
    (await scanRoot(root)).filter((one) => !one.endsWith('can be changed by the running program.'));

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'witan-scan-'));
    await write('app/main.js', "const header = '-----BEGIN PRIVATE KEY-----';");
    await write('app/main.js.LEGAL.txt');
    await write('app/package.json');
    await write('usr/bin/dpkg', '', 0o755);
    await write('usr/lib/libgnutls.so', `\x7FELF ${PEM}`);
    await mkdir(join(root, 'tmp'));
    await chmod(join(root, 'tmp'), 0o1777);
    await symlink('/nowhere', join(root, 'usr/bin/awk'));
  });
  afterEach(() => rm(root, { recursive: true }));

  it('accepts an image with a bundle only', async () => {
    expect(await scan()).toEqual([]);
  });

  it.each([
    ['usr/bin/su', '', 0o4755, 'is setuid or setgid'],
    ['usr/bin/wall', '', 0o2755, 'is setuid or setgid'],
    ['etc/passwd', '', 0o666, 'is writable by every user'],
    ['root/.npmrc', '', 0o600, 'may contain a secret'],
    ['build/.git/config', '', 0o644, 'may contain a secret'],
    ['run/witan/ledger/service.env', '', 0o600, 'may contain a secret'],
    ['usr/local/bin/npm', '', 0o755, 'is a tool that the program does not use'],
    ['app/main.ts', '', 0o644, 'is not part of a bundle'],
    ['app/node_modules/jest/index.js', '', 0o644, 'is not part of a bundle'],
    ['app/main.js.map', '', 0o644, 'is not part of a bundle'],
    ['etc/witan/signing-key.pem', PEM, 0o600, 'contains a private key'],
    ['app/other.js', `const key = \`${PEM}\`;`, 0o644, 'contains a private key'],
  ])('reports %s', async (path, text, mode, finding) => {
    await write(path, text, mode);
    expect(await scan()).toContainEqual(expect.stringContaining(finding));
  });

  it('reports an image without a program', async () => {
    await rm(join(root, 'app'), { recursive: true });
    expect(await scan()).toEqual(['/app/main.js is missing.']);
  });
});

describe('scanConfig', () => {
  const labels = { 'org.opencontainers.image.version': '1.2.3' };
  const config = { User: '65532:65532', Entrypoint: ['node', '/app/main.js'], Labels: labels };

  it('accepts the configuration of the Dockerfile', () => {
    expect(scanConfig({ ...config, Env: ['NODE_ENV=production'] }, labels)).toEqual([]);
  });

  it.each([
    ['root by default', { User: '' }, 'runs as root'],
    ['root by number', { User: '0:0' }, 'runs as 0:0'],
    ['a user that Kubernetes cannot verify', { User: 'node' }, 'runs as node'],
    ['a secret in a variable', { Env: ['NATS_URL=nats://a:b@c'] }, 'a value of NATS_URL'],
    ['another program', { Entrypoint: ['sh'] }, 'starts sh'],
    ['another version', { Labels: {} }, 'version is missing, not 1.2.3'],
  ])('reports %s', (_name, change, finding) => {
    expect(scanConfig({ ...config, ...change }, labels)).toEqual([
      expect.stringContaining(finding),
    ]);
  });
});
