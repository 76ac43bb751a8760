import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createAddressLookup } from './resolve-target.ts';

const TYPE_A = 1;
const TYPE_AAAA = 28;

/**
 * Simulated DNS records of a name: addresses by record type. If empty, the name does not exist; if
 * `silent`, the server never responds.
 */
type Zone = Partial<Record<number, Uint8Array[]>> | 'silent';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const openDns = async (zone: Zone): Promise<string> => {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    if (zone !== 'silent') socket.send(responseTo(query, zone), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closers.push(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
};

const HEADER_BYTES = 12;
const NAME_ERROR = 3;

const responseTo = (message: Uint8Array, zone: Exclude<Zone, 'silent'>): Buffer => {
  const id = message.subarray(0, 2);
  const nameEnd = message.indexOf(0, HEADER_BYTES);
  const query = message.subarray(HEADER_BYTES, nameEnd + 5);
  const type = query.at(-3) ?? 0;
  const records = zone[type] ?? [];
  const flags = [0x81, records.length === 0 ? 0x80 | NAME_ERROR : 0x80];
  const counts = [0, 1, 0, records.length, 0, 0, 0, 0];
  const encodedRecords = records.map((data) =>
    Buffer.concat([Buffer.of(0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 9, 0, data.length), data]),
  );
  return Buffer.concat([id, Buffer.of(...flags, ...counts), query, ...encodedRecords]);
};

const never = new AbortController().signal;
const IPV4 = Buffer.of(10, 1, 2, 3);
const IPV6 = Buffer.of(0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);

describe('createAddressLookup', () => {
  it.each([
    [
      'both families',
      { [TYPE_A]: [IPV4, IPV4], [TYPE_AAAA]: [IPV6] },
      ['10.1.2.3', '10.1.2.3', 'fd00::1'],
    ],
    ['IPv4 only', { [TYPE_A]: [IPV4] }, ['10.1.2.3']],
    ['IPv6 only', { [TYPE_AAAA]: [IPV6] }, ['fd00::1']],
  ])('returns every address of a name with %s', async (_name, zone, addresses) => {
    const lookup = createAddressLookup({ servers: [await openDns(zone)] });
    expect(await lookup({ hostname: 'a.example', isListed: false }, never)).toEqual(addresses);
  });

  it('rejects for a name that does not exist', async () => {
    const lookup = createAddressLookup({ servers: [await openDns({})] });
    const result = lookup({ hostname: 'a.example', isListed: false }, never);
    await expect(result).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('stops waiting for a silent name server when the signal aborts', async () => {
    const lookup = createAddressLookup({ servers: [await openDns('silent')] });
    const caller = new AbortController();
    const result = lookup({ hostname: 'a.example', isListed: false }, caller.signal);
    caller.abort();
    await expect(result).rejects.toMatchObject({ code: 'ECANCELLED' });
  });

  it('uses the system resolver for listed names only', async () => {
    const lookup = createAddressLookup({ servers: [await openDns({})] });
    const listedResult = await lookup({ hostname: 'localhost', isListed: true }, never);
    expect(listedResult.length).toBeGreaterThan(0);
    const otherLookup = lookup({ hostname: 'localhost', isListed: false }, never);
    await expect(otherLookup).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
