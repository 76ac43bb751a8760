import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runTool } from './run-tool.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'witan-tool-'));
  await mkdir(join(root, 'node_modules/.bin'), { recursive: true });
});

afterEach(() => rm(root, { recursive: true }));

const addTool = async (script: string): Promise<void> => {
  const file = join(root, 'node_modules/.bin/tool');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
};

describe('runTool', () => {
  it("runs a tool in the repository's root and collects stdout and stderr", async () => {
    await addTool('pwd; echo "$1" >&2');
    const { ok, output } = await runTool(root, 'tool', ['argument']);
    expect(ok).toBe(true);
    expect(output.split('\n').toSorted()).toEqual([root, 'argument'].toSorted());
  });

  it("puts the repository's tools first in PATH", async () => {
    await addTool('echo "${PATH%%:*}"');
    expect((await runTool(root, 'tool', [])).output).toBe(join(root, 'node_modules/.bin'));
  });

  it("fails with the tool's output, or with the signal that terminated it", async () => {
    await addTool('echo wrong; exit 3');
    expect(await runTool(root, 'tool', [])).toEqual({ ok: false, output: 'wrong' });
    await addTool('kill -TERM $$');
    const ended = await runTool(root, 'tool', []);
    expect(ended).toEqual({ ok: false, output: 'tool was ended by SIGTERM.' });
  });

  it('fails without throwing if the tool does not exist', async () => {
    const { ok, output } = await runTool(root, 'absent', []);
    expect(ok).toBe(false);
    expect(output).toContain('ENOENT');
  });
});
