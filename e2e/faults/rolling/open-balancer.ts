import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP load balancer in front of the replicas of the api-gateway. */
export type Balancer = {
  url: string;
  /** Adds a port to those that receive new connections. */
  add: (port: number) => void;
  /** Stops forwarding new connections to the port; open connections stay. */
  remove: (port: number) => void;
  close: () => Promise<void>;
};

const HOST = '127.0.0.1';

/** Opens a balancer that distributes new connections round-robin, like a Kubernetes Service. */
export const openBalancer = async (): Promise<Balancer> => {
  const sockets = new Set<Socket>();
  let ports: readonly number[] = [];
  let nextIndex = 0;
  const server = createServer((client) => {
    nextIndex += 1;
    const port = ports[nextIndex % ports.length];
    if (port === undefined) return void client.destroy();
    const upstream = connect({ host: HOST, port });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.pipe(to);
      // Closes the other side of the connection.
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
    }
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    add: (port) => {
      ports = [...ports, port];
    },
    remove: (port) => {
      ports = ports.filter((one) => one !== port);
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};
