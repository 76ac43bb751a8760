import { Server } from 'node:net';

/**
 * Preloaded into a server that would listen on all interfaces: makes it listen on loopback only,
 * and print its port.
 */
const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  this.once('listening', () => process.stdout.write(`PORT ${this.address().port}\n`));
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, rest.at(-1));
};
