import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { choosePort } from './choose-port.ts';

describe('choosePort', () => {
  it('returns each port once, even if it is not bound yet', async () => {
    const ports = await Promise.all(Array.from({ length: 40 }, () => choosePort({ wanted: 0 })));
    expect(new Set(ports).size).toBe(40);
  });

  it('returns another port if the preferred one is in use', async () => {
    const server = createServer().listen(await choosePort({ wanted: 0 }), '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    expect(await choosePort({ wanted: 0, preferred: port })).not.toBe(port);
    await expect(choosePort({ wanted: port })).rejects.toMatchObject({ reason: 'port-taken' });
    server.close();
    await once(server, 'close');
    expect(await choosePort({ wanted: 0, preferred: port })).toBe(port);
  });
});
