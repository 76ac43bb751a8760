import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export type FreezableProxy = AsyncDisposable & {
  url: string;
  /** Stops forwarding, without closing connections, as a network that drops all packets. */
  freeze: () => void;
  /** Forwards again, on existing connections too. */
  thaw: () => void;
};

/** Opens a TCP proxy to the server of the URL, on a free loopback port. */
export const openFreezableProxy = async (serverUrl: string): Promise<FreezableProxy> => {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const forward = (from: Socket, to: Socket): void => {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    sockets.add(from);
    if (isFrozen) from.pause();
  };
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    forward(client, server);
    forward(server, client);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
};
