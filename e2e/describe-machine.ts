import { execFile } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const GIB = 2 ** 30;

/** Returns hardware, versions and commit for a result file, but not the machine's name. */
export const describeMachine = async (): Promise<object> => ({
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  memoryGib: Math.round(totalmem() / GIB),
  kernel: release(),
  node: process.version,
  commit: await readCommit(),
});

const readCommit = async (): Promise<string> => {
  const execFileAsync = promisify(execFile);
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { stdout } = await execFileAsync('git', ['rev-parse', 'HEAD'], { cwd });
  const { stdout: changes } = await execFileAsync('git', ['status', '--porcelain', '-uno'], {
    cwd,
  });
  return `${stdout.trim()}${changes ? ' with changes' : ''}`;
};
