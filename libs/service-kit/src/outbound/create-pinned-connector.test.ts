import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import {
  callOf,
  LISTED,
  onLoopback,
  openGuardedFixture,
  RECEIVER,
} from '../../test/open-guarded-fixture.ts';
import { createGuardedClient } from './create-guarded-client.ts';
import type { GuardedClient, GuardedClientOptions } from './create-guarded-client.ts';
import { parseTargetPolicy } from './target-policy.ts';

const BUDGET_MS = 300;

let receiver: Awaited<ReturnType<typeof openGuardedFixture>>;
beforeAll(async () => {
  receiver = await openGuardedFixture();
});
afterAll(() => receiver.close());

const clients: GuardedClient[] = [];
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

const openClient = (options: Partial<GuardedClientOptions> = {}): GuardedClient => {
  const { ca } = receiver;
  const client = createGuardedClient({ policy: LISTED, lookup: onLoopback, ca, ...options });
  clients.push(client);
  return client;
};

const failed = (failure: string) => ({ ok: false, failure, status: undefined });

describe('connecting to a checked address', () => {
  const certificates = {
    'of an untrusted authority': [undefined, createTestCertificate([RECEIVER])],
    'for another name': ['own', createTestCertificate(['other.fixture', '127.0.0.1'])],
    'that expired': ['own', createTestCertificate([RECEIVER], { notAfter: new Date(2020, 1, 1) })],
  } as const;

  it.each(Object.entries(certificates))(
    'fails with a certificate %s',
    async (_name, [trusted, certificate]) => {
      const otherFixture = await openGuardedFixture(certificate);
      const client = openClient(trusted ? { ca: otherFixture.ca } : {});
      expect(await client.post(callOf(otherFixture.urlOf('ok')))).toEqual(failed('tls'));
      expect(otherFixture.requests).toEqual([]);
      await otherFixture.close();
    },
  );

  it('fails with connect on a closed port', async () => {
    const { port, close } = await openTcpServer();
    await close();
    const call = callOf(`https://${RECEIVER}:${port}/`);
    expect(await openClient().post(call)).toEqual(failed('connect'));
    const lookup = async () => ['127.0.0.1', '127.0.0.2', '::1'];
    expect(await openClient({ lookup }).post(call)).toEqual(failed('connect'));
  });

  it('fails with tls if the server does not speak TLS', async () => {
    const { port, close } = await openTcpServer('SSH-2.0-OpenSSH_9.9\r\n');
    const call = callOf(`https://${RECEIVER}:${port}/`);
    expect(await openClient().post(call)).toEqual(failed('tls'));
    await close();
  });

  it('times out if the handshake hangs', async () => {
    const { port, close } = await openTcpServer();
    const call = callOf(`https://${RECEIVER}:${port}/`, { timeoutMs: BUDGET_MS });
    expect(await openClient().post(call)).toEqual(failed('timeout'));
    await close();
  });

  it('tries the other addresses of a host', async () => {
    const lookup = async () => ['127.0.0.9', '127.0.0.1'];
    const result = await openClient({ lookup }).post(callOf(receiver.urlOf('ok')));
    expect(result).toMatchObject({ ok: true });
  });

  it('allows plain http to a listed host in development only', async () => {
    const server = createHttpServer((_request, response) => response.end('plain')).listen(0);
    await once(server, 'listening');
    const url = `http://${RECEIVER}:${(server.address() as AddressInfo).port}/`;
    const policy = parseTargetPolicy([RECEIVER], 'development');
    expect(await openClient({ policy }).post(callOf(url))).toMatchObject({ ok: true });
    expect(await openClient().post(callOf(url))).toEqual(failed('blocked_address'));
    server.close();
  });

  it('requires a certificate for the name of each host', async () => {
    const policy = parseTargetPolicy([RECEIVER, 'other.fixture'], 'production');
    const client = openClient({ policy });
    const urls = [receiver.urlOf('ok'), receiver.urlOf('ok').replace(RECEIVER, 'other.fixture')];
    const results = [];
    for (const url of [...urls, ...urls]) results.push(await client.post(callOf(url)));
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true, false]);
    expect([results[1], results[3]]).toEqual([failed('tls'), failed('tls')]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'verifies the certificate of every connection in %s',
    async (version) => {
      const { port, resumed, ca, close } = await openClosingServer(version);
      const client = openClient({ ca });
      const call = callOf(`https://${RECEIVER}:${port}/`);
      for (let n = 0; n < 3; n += 1) {
        expect(await client.post(call)).toMatchObject({ ok: true });
      }
      expect(resumed).toEqual([false, false, false]);
      await close();
    },
  );

  it('ignores proxies of the environment', async () => {
    const { port, connections, close } = await openTcpServer();
    const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = `http://127.0.0.1:${port}`;
    try {
      const result = await openClient().post(callOf(receiver.urlOf('ok')));
      expect(result).toMatchObject({ ok: true });
    } finally {
      names.forEach((name, index) => {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      });
    }
    expect(connections()).toBe(0);
    await close();
  });
});

const openClosingServer = async (version: SecureVersion) => {
  const certificate = createTestCertificate([RECEIVER]);
  const resumed: boolean[] = [];
  const server = createHttpsServer(
    { ...certificate, minVersion: version, maxVersion: version },
    (_request, response) => response.writeHead(200, { connection: 'close' }).end('done'),
  );
  server.on('secureConnection', (socket: TLSSocket) => resumed.push(socket.isSessionReused()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    resumed,
    ca: certificate.cert,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
};

const openTcpServer = async (greeting = '') => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).resume();
    if (greeting !== '') socket.end(greeting);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.length,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
