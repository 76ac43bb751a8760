import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkBaseline } from './baseline-check.ts';

describe('checkBaseline', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'witan-baseline-'));
    await mkdir(join(root, 'proto/witan/ledger/v1'), { recursive: true });
    await writeFile(join(root, 'proto/witan/ledger/v1/write.proto'), 'syntax = "proto3";\n');
  });
  afterEach(() => rm(root, { recursive: true }));
  const writeBaseline = (...names: string[]): Promise<void> => {
    const baseline = { file: names.map((name) => ({ name })) };
    return writeFile(join(root, 'proto/baseline.json'), JSON.stringify(baseline));
  };

  it('accepts a baseline with every contract', async () => {
    await writeBaseline('witan/ledger/v1/write.proto', 'witan/gone/v1/gone.proto');
    expect(await checkBaseline(root)).toEqual({ ok: true, output: '' });
  });

  it('reports a contract that the baseline lacks', async () => {
    await writeBaseline('witan/ledger/v1/read.proto');
    const { ok, output } = await checkBaseline(root);
    expect([ok, output.split('\n')[0]]).toEqual([false, 'witan/ledger/v1/write.proto']);
  });

  it('reports a missing baseline', async () => {
    expect(await checkBaseline(root)).toMatchObject({ ok: false });
  });
});
