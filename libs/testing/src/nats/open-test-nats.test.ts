import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { requestNats } from '@witan/stack/nats/request-nats';
import { findProcessIdentity } from '@witan/stack/postgres/process-identity';
import { NATS_MISSING, openTestNats } from './open-test-nats.ts';
import { sweepTestNats } from './test-nats-home.ts';

const TIMEOUT_MS = 60_000;
const STREAM = JSON.stringify({ name: 'STORED', subjects: ['stored.>'], storage: 'file' });
const describeServer = NATS_MISSING === undefined ? describe : describe.skip;
const skipReason = NATS_MISSING === undefined ? '' : ` (${NATS_MISSING})`;

const addStream = (url: string): Promise<string> =>
  requestNats(url, { subject: '$JS.API.STREAM.CREATE.STORED', payload: STREAM });

const publish = async (url: string): Promise<number> => {
  const ack = await requestNats(url, { subject: 'stored.event', payload: 'an event' });
  return (JSON.parse(ack) as { seq: number }).seq;
};

describeServer(`openTestNats${skipReason}`, () => {
  it(
    'starts a private server whose streams survive kills and restarts, but not a wipe',
    async () => {
      const nats = (await openTestNats())!;
      const { url, pid } = nats;
      await addStream(url);
      await publish(url);
      await nats.kill('SIGKILL');
      await expect(findProcessIdentity(pid)).resolves.toBeUndefined();
      await nats.restart();
      expect(nats.pid).not.toBe(pid);
      expect(nats.url).toBe(url);
      await expect(publish(url)).resolves.toBe(2);
      await nats.restart();
      await expect(publish(url)).resolves.toBe(3);
      await nats.wipe();
      await expect(publish(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      await nats.restart();
      await expect(publish(url)).rejects.toThrow('No Responders');
      await nats[Symbol.asyncDispose]();
      await expect(findProcessIdentity(nats.pid)).resolves.toBeUndefined();
    },
    TIMEOUT_MS,
  );

  it(
    'does not wait for an exit after SIGSTOP, and deletes the directory of a stopped server',
    async () => {
      const nats = (await openTestNats())!;
      await nats.kill('SIGSTOP');
      await expect(findProcessIdentity(nats.pid)).resolves.toBeDefined();
      await nats[Symbol.asyncDispose]();
      // After disposal another process may have the server's pid, so this must send no signal.
      await nats.kill('SIGKILL');
      await expect(access(nats.home)).rejects.toMatchObject({ code: 'ENOENT' });
    },
    TIMEOUT_MS,
  );
});

describeServer(`sweepTestNats${skipReason}`, () => {
  it(
    'stops and deletes the broker of a killed run, but not those of running ones',
    async () => {
      await using running = (await openTestNats())!;
      const orphan = await startOrphanServer();
      await addStream(orphan.url);
      await sweepTestNats(() => {});
      await expect(findProcessIdentity(orphan.pid)).resolves.toBeUndefined();
      await expect(access(orphan.home)).rejects.toMatchObject({ code: 'ENOENT' });
      await addStream(running.url);
    },
    TIMEOUT_MS,
  );
});

type OrphanServer = { url: string; home: string; pid: number };

const startOrphanServer = async (): Promise<OrphanServer> => {
  const module = JSON.stringify(new URL('./open-test-nats.ts', import.meta.url).href);
  const script = `
    import { openTestNats } from ${module};
    const { url, home, pid } = await openTestNats();
    console.log(JSON.stringify({ url, home, pid }));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  await once(child, 'exit');
  return JSON.parse(line.toString()) as OrphanServer;
};
