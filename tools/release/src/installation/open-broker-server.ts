import { spawn } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findNatsServer, HOW_TO_GET_NATS } from '@witan/stack/nats/find-nats-server';
import { choosePort } from '@witan/stack/postgres/choose-port';
import { stopProcess } from './start-program.ts';

const READY_TIMEOUT_MS = 20_000;
const POLL_MS = 50;
const QUOTED_CHARACTERS = 2_000;

/** Starts a nats-server with the settings of `compose.yaml`, except ports and folders. */
export const openBrokerServer = async (options: {
  settings: string;
  secrets: string;
  folder: string;
  port: number;
  path: string | undefined;
}): Promise<{ stop: () => Promise<void> }> => {
  const program = findNatsServer(options.path);
  if (program === undefined) throw new Error(`There is no nats-server: ${HOW_TO_GET_NATS}.`);
  const { folder, port } = options;
  await mkdir(folder, { recursive: true });
  await cp(options.settings, join(folder, 'nats.conf'));
  await cp(options.secrets, join(folder, 'secrets'), { recursive: true });
  const monitor = await choosePort({ wanted: 0 });
  const child = spawn(
    program,
    [
      ...['--config', join(folder, 'nats.conf'), '--addr', '127.0.0.1', '--port', String(port)],
      ...['--http_port', String(monitor), '--store_dir', join(folder, 'data')],
    ],
    { cwd: folder, env: {}, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output = `${output}${chunk.toString()}`.slice(-QUOTED_CHARACTERS);
  });
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await isHealthy(monitor))) {
    if (child.exitCode !== null) throw new Error(`nats-server ended:\n${output}`);
    if (Date.now() > deadline) throw new Error('nats-server was not ready in time.');
    await delay(POLL_MS);
  }
  return { stop: async () => void (await stopProcess(child)) };
};

const isHealthy = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/healthz?js-enabled-only=true`).then(
    ({ ok }) => ok,
    () => false,
  );
