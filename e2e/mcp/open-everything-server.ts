import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestCertificate } from '@witan/testing/create-test-certificate';

const { resolve } = createRequire(import.meta.url);
const SERVER = join(
  dirname(resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

/** Starts the reference server of MCP in a process of its own, behind TLS on loopback. */
export const openEverythingServer = async (
  certificate: TestCertificate,
): Promise<AsyncDisposable & { url: string }> => {
  const preload = new URL('listen-on-loopback.mjs', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', preload, SERVER, 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const port = await readPort(createInterface({ input: child.stdout }));
  const proxy = createServer(certificate, (request, response) => {
    const { method, url: path, headers } = request;
    const forwarded = sendRequest({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      proxy.close();
      child.kill();
      await exited;
    },
  };
};

const readPort = async (lines: AsyncIterable<string>): Promise<number> => {
  for await (const line of lines) {
    const [, port] = /^PORT (\d+)$/.exec(line) ?? [];
    if (port !== undefined) return Number(port);
  }
  throw new Error('The MCP server ended before it listened');
};
