import { describe, expect, it } from '@jest/globals';
import { findEngine } from './find-engine.ts';

const runOf =
  (working: readonly string[]) =>
  async (command: string): Promise<string> => {
    if (working.includes(command)) return '';
    throw new Error(`Command failed: ${command} info\nspawn ${command} ENOENT`);
  };

describe('findEngine', () => {
  it('prefers buildah, which needs no daemon, and takes the wanted engine', async () => {
    expect(await findEngine(runOf(['buildah', 'docker']))).toBe('buildah');
    expect(await findEngine(runOf(['docker']))).toBe('docker');
    expect(await findEngine(runOf(['buildah', 'docker']), 'docker')).toBe('docker');
  });

  it('says what to install if no engine works, for example a client without its daemon', async () => {
    await expect(findEngine(runOf([]))).rejects.toThrow(
      /Install buildah.*\n.*buildah: .*\n.*docker: /,
    );
    await expect(findEngine(runOf(['buildah']), 'docker')).rejects.toThrow('Install buildah');
  });

  it('refuses an unknown engine', async () => {
    await expect(findEngine(runOf([]), 'podman')).rejects.toThrow('buildah and docker');
  });
});
