import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const WITAN = fileURLToPath(new URL('../../../tools/witan/src/main.ts', import.meta.url));

/**
 * Runs `witan workspace create NAME` against the system in `home`; returns the workspace and its
 * API key.
 */
export const createWorkspace = async (
  home: string,
  name: string,
): Promise<{ workspaceId: string; apiKey: string }> => {
  const args = ['--disable-warning=ExperimentalWarning', WITAN, 'workspace', 'create', name];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, '--json'], {
    env: { WITAN_HOME: home },
  });
  return JSON.parse(stdout) as { workspaceId: string; apiKey: string };
};
