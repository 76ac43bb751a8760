import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLog } from '@witan/service-kit';
import type { Env } from '@witan/service-kit';
import { findProcessIdentity } from '../postgres/process-identity.ts';
import { openHome } from '../system/home.ts';
import type { Home } from '../system/home.ts';
import { requestNats } from './request-nats.ts';
import { findNatsServer, HOW_TO_GET_NATS } from './find-nats-server.ts';
import { openNats } from './open-nats.ts';
import type { Nats } from './open-nats.ts';

const TIMEOUT_MS = 60_000;
const program = findNatsServer(process.env['PATH']);
const [describeServer, why] = program
  ? ([describe, ''] as const)
  : ([describe.skip, ` (no nats-server here; to get one: ${HOW_TO_GET_NATS})`] as const);

let home: Home;
let opened: Nats[];
let restarts: number;
let lines: string[];

beforeEach(async () => {
  home = await openHome(await mkdtemp(join(tmpdir(), 'witan-stack-open-nats-')));
  opened = [];
  restarts = 0;
  lines = [];
});

afterEach(async () => {
  for (const nats of opened) await nats.stop();
  await rm(home.dir, { recursive: true, force: true });
}, TIMEOUT_MS);

const open = async (env: Env): Promise<Nats> => {
  const destination = { write: (line: string) => void lines.push(line) };
  const nats = await openNats({
    home,
    env,
    log: createLog({ service: 'stack', level: 'info', destination }),
    onRestart: async () => void (restarts += 1),
  });
  opened.push(nats);
  return nats;
};

const waitUntilTrue = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('It did not become true.');
    await delay(20);
  }
};

const publish = async ({ url }: Nats): Promise<number> => {
  const ack = await requestNats(url!, {
    subject: 'events.v1.w.debate.synthesized',
    payload: 'fact',
  });
  return (JSON.parse(ack) as { seq: number }).seq;
};

const canPublish = async (nats: Nats): Promise<boolean> => {
  try {
    return (await publish(nats)) > 0;
  } catch {
    return false;
  }
};

describeServer(`openNats with a nats-server${why}`, () => {
  it(
    'has the streams, requires a password, and leaves no process',
    async () => {
      const nats = await open({ PATH: dirname(program!) });
      expect(nats.state).toEqual({ url: nats.url, isReady: true });
      await expect(publish(nats)).resolves.toBe(1);
      const { host } = new URL(nats.url!);
      await expect(requestNats(`nats://${host}`, { subject: 'any' })).rejects.toThrow(
        'Authorization',
      );
      await nats.stop();
      await expect(findProcessIdentity(nats.pid!())).resolves.toBeUndefined();
    },
    TIMEOUT_MS,
  );

  it(
    'restarts the server on the same port and store each time it exits',
    async () => {
      const nats = await open({ PATH: dirname(program!) });
      await publish(nats);
      for (const kill of [1, 2]) {
        const pid = nats.pid!();
        process.kill(pid, 'SIGKILL');
        await waitUntilTrue(() => restarts === kill);
        expect(nats.pid!()).not.toBe(pid);
        await expect(publish(nats)).resolves.toBe(kill + 1);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'creates the streams again if the store was deleted',
    async () => {
      const nats = await open({ PATH: dirname(program!) });
      for (const _ of [1, 2, 3]) await publish(nats);
      process.kill(nats.pid!(), 'SIGSTOP');
      await rm(join(home.dir, 'nats', 'store'), { recursive: true });
      process.kill(nats.pid!(), 'SIGKILL');
      await waitUntilTrue(() => restarts === 1);
      await waitUntilTrue(() => canPublish(nats));
      await expect(publish(nats)).resolves.toBe(2);
    },
    TIMEOUT_MS,
  );
});

describe('openNats', () => {
  it('explains how to get a nats-server if there is none', async () => {
    const nats = await open({});
    expect(nats).toMatchObject({
      state: {
        missing: { reason: 'not-found', message: expect.stringContaining(HOW_TO_GET_NATS) },
      },
      url: undefined,
      pid: undefined,
    });
    await expect(access(join(home.dir, 'nats'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('reports why a nats-server did not start, and continues without it', async () => {
    const folder = join(home.dir, 'bin');
    await mkdir(folder);
    await writeFile(join(folder, 'nats-server'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
    const nats = await open({ PATH: folder });
    expect(nats.url).toBeUndefined();
    expect(nats.state).toMatchObject({
      missing: { reason: 'not-started', message: expect.stringContaining('could not be run') },
    });
    expect(lines.join()).toContain('nats-server did not start');
  });

  it('uses a given broker even if it is unreachable, and starts no other', async () => {
    const url = `nats://someone:secret@127.0.0.1:${await findFreePort()}`;
    const nats = await open({ NATS_URL: ` ${url} `, PATH: process.env['PATH'] });
    expect(nats).toMatchObject({ state: { url, isReady: false }, url, pid: undefined });
    expect(lines.join()).not.toContain('secret');
  });

  const findFreePort = async (): Promise<number> => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    return port;
  };
});
