// Preloaded into a peer that would listen on all interfaces: binds its servers to loopback.
import { Server } from 'node:net';

const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(this: Server, ...args: unknown[]): Server {
  const [port, , onListening] = args as [number, string | undefined, () => void];
  return Reflect.apply(listen, this, [port, '127.0.0.1', onListening]) as Server;
};
