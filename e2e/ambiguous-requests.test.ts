import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const HEADER_CASES: [string, string[], number][] = [
  ['one Authorization', [], 200],
  ['two Authorization headers of one key', ['Authorization: Bearer KEY'], 400],
  ['two Authorization headers, one of another scheme', ['authorization: Basic abc'], 400],
  ['two Host headers', ['HOST: elsewhere.example'], 400],
  ['an x-api-key of the same key', ['x-api-key: KEY'], 200],
  ['two x-api-key headers', ['x-api-key: KEY', 'X-Api-Key: KEY'], 400],
];

const TARGET_CASES: [string, number][] = [
  ['/v1/ledger/balance', 200],
  ['/v1/ledger/balance?', 200],
  ['/V1/ledger/balance', 404],
  ['/v1/Ledger/balance', 404],
  ['/v1/ledger/balance/', 404],
  ['/v1//ledger/balance', 404],
  ['/v1/ledger%2Fbalance', 404],
  ['/v1/%6Cedger/balance', 404],
  ['/v1/./ledger/balance', 404],
  ['/v1/ledger/balance#x', 400],
  ['/v1/ledger/balance?a=1#x', 400],
];

describe.each(TRANSPORTS)('ambiguous requests, services over %s', (transport) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
  });
  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  /**
   * Sends a GET request with one `Authorization` line, followed by the lines in `headers`. Returns
   * the status.
   */
  const send = (target: string, headers: readonly string[]): Promise<number> => {
    const { hostname, port } = new URL(fixture.system.baseUrl);
    const baseLines = [`GET ${target} HTTP/1.1`, 'Host: api-gateway', 'Connection: close'];
    const head = [...baseLines, 'Authorization: Bearer KEY', ...headers, '', ''].join('\r\n');
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('error', reject);
      socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
      socket.write(head.replaceAll('KEY', fixture.system.apiKey));
    });
  };

  it.each(HEADER_CASES)('are parsed strictly with %s', async (_name, headers, status) => {
    expect(await send('/v1/ledger/balance', headers)).toBe(status);
  });

  it.each(TARGET_CASES)('are parsed strictly with the target %s', async (target, status) => {
    expect(await send(target, [])).toBe(status);
  });
});
