import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { NATS_MISSING, openTestNats } from '@witan/testing';
import type { TestNats } from '@witan/testing';
import { runTopology } from '../src/commands/topology.ts';
import { UsageError } from '../src/usage.ts';
import { runWitan } from './run-witan.ts';

jest.setTimeout(90_000);

const describeBroker = NATS_MISSING ? describe.skip : describe;

describeBroker(`witan topology apply${NATS_MISSING ? ` (${NATS_MISSING})` : ''}`, () => {
  let nats: TestNats;
  let home: string;
  beforeAll(async () => {
    nats = (await openTestNats())!;
    home = await mkdtemp(join(tmpdir(), 'witan-home-'));
  });
  afterAll(async () => {
    await nats[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  it('creates the streams and consumers of NATS_URL, and changes nothing when run again', async () => {
    const first = await runWitan(['topology', 'apply'], { NATS_URL: nats.url });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('stream EVENTS: added');
    const second = await runWitan(['topology', 'apply', '--json'], { NATS_URL: nats.url });
    const { changes } = JSON.parse(second.stdout) as { changes: { change: string }[] };
    expect(new Set(changes.map(({ change }) => change))).toEqual(new Set(['unchanged']));
  });

  it('uses the broker of the system in WITAN_HOME', async () => {
    await writeFile(join(home, 'system.json'), JSON.stringify({ natsUrl: nats.url }));
    const { code, stdout } = await runWitan(['topology', 'apply'], { WITAN_HOME: home });
    expect([code, stdout]).toEqual([0, expect.stringContaining('stream EVENTS: ')]);
  });
});

describe('witan topology', () => {
  it('fails if no broker responds', async () => {
    const { code } = await runWitan(['topology', 'apply'], { NATS_URL: 'nats://127.0.0.1:1' });
    expect(code).toBe(1);
  });

  it.each([
    ['no action', []],
    ['an unknown action', ['burn']],
    ['an invalid number of replicas', ['apply', '--replicas', '2']],
    ['an unknown option', ['apply', '--all']],
  ])('rejects invalid usage before opening anything: %s', async (_name, argv) => {
    await expect(runTopology(argv)).rejects.toBeInstanceOf(UsageError);
  });
});
