import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const BOOTSTRAP = new URL('./bootstrap.mjs', import.meta.url).href;

/** A fake npm. It logs its arguments, waits for the file `go`, and "installs" the lock file. */
const FAKE_NPM = `#!/bin/sh
echo "$@ [$NODE_ENV$npm_config_omit]" >> npm.log
while [ ! -e go ]; do sleep 0.02; done
[ -e broken ] && { echo 'npm error network'; exit 7; }
mkdir -p node_modules/.bin
[ -e no-scripts ] || ln -sf "${process.execPath}" node_modules/.bin/node
cp package-lock.json node_modules/.package-lock.json
`;

const SYSTEM_PATH = '/usr/bin:/bin';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'witan-bootstrap-'));
  await mkdir(join(root, 'bin'));
  await writeText('bin/npm', FAKE_NPM);
  await chmod(join(root, 'bin/npm'), 0o755);
  await writeText('go', '');
  await writeLockFile('1.0.0');
});

afterEach(() => rm(root, { recursive: true }));

const writeText = (path: string, text: string): Promise<void> => writeFile(join(root, path), text);

const writeLockFile = (version: string): Promise<void> =>
  writeText(
    'package-lock.json',
    JSON.stringify({
      packages: {
        '': { name: 'root' },
        'node_modules/a': { version, integrity: 'sha512-a' },
        'node_modules/other-platform': { version, optional: true },
      },
    }),
  );

type Run = { code: number | null; signal: string | null; stdout: string; stderr: string };

type Running = {
  child: ChildProcess;
  ended: Promise<Run>;
  outputContains: (text: string) => Promise<void>;
};

const startScript = (script: string, env: Record<string, string> = {}): Running => {
  const text = `import { ensureInstalled, reexecPinned } from '${BOOTSTRAP}';
    const root = ${JSON.stringify(root)};
    ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
    cwd: root,
    env: { PATH: `${join(root, 'bin')}:${SYSTEM_PATH}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  const outputChecks: (() => void)[] = [];
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      output[name] += String(chunk);
      for (const check of outputChecks) check();
    });
  }
  const ended = new Promise<Run>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  const outputContains = (wanted: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (`${output.stdout}${output.stderr}`.includes(wanted)) resolve();
      };
      outputChecks.push(check);
      check();
    });
  return { child, ended, outputContains };
};

const INSTALL_SCRIPT = `await ensureInstalled({ root }); console.log('ready');`;

const npmCalls = async (): Promise<string[]> =>
  existsSync(join(root, 'npm.log'))
    ? (await readFile(join(root, 'npm.log'), 'utf8')).trim().split('\n')
    : [];

describe('ensureInstalled', () => {
  it('installs once and reports it, and again when the lock file has changed', async () => {
    const first = await startScript(INSTALL_SCRIPT).ended;
    expect(first).toMatchObject({ code: 0, stdout: 'ready\n' });
    const lines = first.stderr.split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^witan: installing 0 of 1 packages \(fetching them\), \d+ s$/),
      expect.stringMatching(/^witan: installed the packages of package-lock\.json in \d+ s$/),
      '',
    ]);
    expect(await startScript(INSTALL_SCRIPT).ended).toMatchObject({
      stdout: 'ready\n',
      stderr: '',
    });
    expect(await npmCalls()).toHaveLength(1);
    await writeLockFile('1.0.1');
    expect(await startScript(INSTALL_SCRIPT).ended).toMatchObject({ code: 0 });
    expect(await npmCalls()).toHaveLength(2);
  });

  it('reports progress while npm runs', async () => {
    await rm(join(root, 'go'));
    const run = startScript(`await ensureInstalled({ root, progressMs: 20 });`);
    await run.outputContains('installing 0 of 1 packages (fetching them), ');
    await mkdir(join(root, 'node_modules/a'), { recursive: true });
    await writeText('node_modules/a/package.json', '{}');
    await run.outputContains('installing 1 of 1 packages (running install scripts), ');
    await writeText('go', '');
    expect((await run.ended).stderr).toMatch(/installed the packages of \S+ in \d+ s\n$/);
  });

  it('installs development tools even if production is configured', async () => {
    const env = { NODE_ENV: 'production', npm_config_omit: 'dev' };
    expect(await startScript(INSTALL_SCRIPT, env).ended).toMatchObject({ code: 0 });
    expect(await npmCalls()).toEqual([
      expect.stringMatching(/^ci --include=dev --include=optional .*\[\]$/),
    ]);
  });

  it("exits with npm's output when npm fails, and installs when it works again", async () => {
    await writeText('broken', '');
    const failed = await startScript(INSTALL_SCRIPT).ended;
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('npm error network');
    expect(failed.stderr).toContain('npm ci ended with code 7');
    expect(failed.stderr).toContain('npm does not reach its package registry');
    await rm(join(root, 'broken'));
    expect(await startScript(INSTALL_SCRIPT).ended).toMatchObject({ code: 0 });
  });

  it('prints instructions when npm is missing', async () => {
    const run = await startScript(INSTALL_SCRIPT, { PATH: join(root, 'nothing') }).ended;
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('npm cannot be run (ENOENT)');
  });

  it('prints instructions when disabled install scripts left out the pinned Node', async () => {
    await writeText('no-scripts', '');
    const run = await startScript(INSTALL_SCRIPT).ended;
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('npm rebuild node --ignore-scripts=false');
  });

  it('reports a folder without a lock file as an incomplete checkout', async () => {
    await rm(join(root, 'package-lock.json'));
    const run = await startScript(INSTALL_SCRIPT).ended;
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('not a complete checkout');
  });

  it('lets one of two processes install while the other waits', async () => {
    await rm(join(root, 'go'));
    const first = startScript(INSTALL_SCRIPT);
    await first.outputContains('installing');
    const second = startScript(INSTALL_SCRIPT);
    await second.outputContains('waiting for the installation by process');
    await writeText('go', '');
    const runs = await Promise.all([first.ended, second.ended]);
    expect(runs.map(({ stdout }) => stdout)).toEqual(['ready\n', 'ready\n']);
    expect(await npmCalls()).toHaveLength(1);
  });

  it('breaks the lock of dead processes', async () => {
    const endedProcess = startScript('');
    await endedProcess.ended;
    await mkdir(join(root, '.nx/install.lock'), { recursive: true });
    await writeText(`.nx/install.lock/${endedProcess.child.pid}`, '');
    expect(await startScript(INSTALL_SCRIPT).ended).toMatchObject({ code: 0, stdout: 'ready\n' });
    expect(existsSync(join(root, '.nx/install.lock'))).toBe(false);
  });
});

describe('reexecPinned', () => {
  const RUN_SCRIPT = `await reexecPinned(root + '/program.mjs', ['one', 'two words'], { root });`;

  /** Installs the running Node as the pinned Node, pinned to `version`, and writes the program. */
  const installPinnedNode = async (version: string, program: string): Promise<void> => {
    await mkdir(join(root, 'node_modules/.bin'), { recursive: true });
    await writeText('package.json', JSON.stringify({ devDependencies: { node: version } }));
    await symlink(process.execPath, join(root, 'node_modules/.bin/node'));
    await writeText('program.mjs', program);
  };

  it('passes arguments and exit code through when it runs under another Node', async () => {
    await installPinnedNode(
      '99.0.0',
      'console.log(JSON.stringify(process.argv.slice(2))); process.exit(5);',
    );
    const run = await startScript(RUN_SCRIPT).ended;
    expect(run).toMatchObject({ code: 5, stdout: '["one","two words"]\n' });
  });

  it('stays in its process under the pinned Node', async () => {
    await installPinnedNode(
      process.versions.node,
      'console.log(process.pid, ...process.argv.slice(1));',
    );
    const running = startScript(RUN_SCRIPT);
    const { stdout } = await running.ended;
    expect(stdout).toBe(`${running.child.pid} ${root}/program.mjs one two words\n`);
  });

  it('forwards signals and waits for the graceful stop', async () => {
    await installPinnedNode(
      '99.0.0',
      `process.on('SIGTERM', () => { console.log('stopped'); process.exit(3); });
       setInterval(() => {}, 1000);
       console.log('up');`,
    );
    const running = startScript(RUN_SCRIPT);
    await running.outputContains('up');
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 3, stdout: 'up\nstopped\n' });
  });

  it('is terminated by the signal that terminated the program', async () => {
    await installPinnedNode('99.0.0', `process.kill(process.pid, 'SIGKILL');`);
    expect(await startScript(RUN_SCRIPT).ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  it('prints instructions when the pinned Node cannot run', async () => {
    await installPinnedNode('99.1.2', '');
    await rm(join(root, 'node_modules/.bin/node'));
    const run = await startScript(RUN_SCRIPT).ended;
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('The pinned Node cannot be run (ENOENT');
    expect(run.stderr).toContain('npm ci');
    expect(run.stderr).toContain('your own Node 99.1.2');
  });
});
