import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** What stands before the replicas of the edge: connections, of which it knows no content. */
export type Balancer = {
  url: string;
  /** New connections go there, too. */
  add: (port: number) => void;
  /** No new connection goes there; those that are open stay. */
  remove: (port: number) => void;
  close: () => Promise<void>;
};

const HOST = '127.0.0.1';

/** Gives each new connection to the next replica, as a Service of Kubernetes does. */
export const openBalancer = async (): Promise<Balancer> => {
  const sockets = new Set<Socket>();
  let ports: readonly number[] = [];
  let turn = 0;
  const server = createServer((client) => {
    turn += 1;
    const port = ports[turn % ports.length];
    if (port === undefined) return void client.destroy();
    const upstream = connect({ host: HOST, port });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.pipe(to);
      // The other side hears of a break as of a break.
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
