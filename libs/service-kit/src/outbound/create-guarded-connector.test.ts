import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent } from 'undici';
import type { buildConnector } from 'undici';
import {
  LISTED,
  onLoopback,
  openGuardedFixture,
  RECEIVER,
} from '../../test/open-guarded-fixture.ts';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import { openHostileReceiver } from '../../test/open-hostile-receiver.ts';
import { createGuardedConnector } from './create-guarded-connector.ts';
import type { GuardedConnectorOptions } from './create-guarded-connector.ts';
import { parseTargetPolicy } from './target-policy.ts';

let receiver: Awaited<ReturnType<typeof openGuardedFixture>>;
beforeAll(async () => {
  receiver = await openGuardedFixture();
});
afterAll(() => receiver.close());

const agents: Agent[] = [];
afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.destroy())));

const openAgent = (options: Partial<GuardedConnectorOptions> = {}): Agent => {
  const { ca } = receiver;
  const settings = { policy: LISTED, timeoutMs: 2_000, lookup: onLoopback, ca, ...options };
  const agent = new Agent({ connect: createGuardedConnector(settings) });
  agents.push(agent);
  return agent;
};

const get = (agent: Agent, url: string, headers: Record<string, string> = {}) => {
  const { origin, pathname: path } = new URL(url);
  return agent.request({ origin, path, method: 'GET', headers });
};

const openRecorder = () => {
  const usedAddresses: (readonly string[])[] = [];
  const createConnector: GuardedConnectorOptions['createConnector'] = ({ addresses }) => {
    usedAddresses.push(addresses);
    const reject: buildConnector.connector = (_options, callback) =>
      callback(new Error('Nothing is connected here.'), null);
    return reject;
  };
  return { usedAddresses, createConnector };
};

const NOTHING_LISTED = parseTargetPolicy([], 'production');
const blockedError = { name: 'OutboundError', failure: 'blocked_address' };

describe('createGuardedConnector', () => {
  it('lets an undici agent reach a listed host, with its name in SNI', async () => {
    const { statusCode, body } = await get(openAgent(), receiver.urlOf('ok'));
    expect(statusCode).toBe(200);
    expect(await body.json()).toEqual({ done: true });
    expect(receiver.serverNames.at(-1)).toBe(RECEIVER);
  });

  it('resolves the name once per connection and connects to the result', async () => {
    const { usedAddresses, createConnector } = openRecorder();
    const lookups = [['8.8.8.8'], ['127.0.0.1'], ['1.1.1.1', '2606:4700::1111']];
    const agent = openAgent({
      policy: NOTHING_LISTED,
      createConnector,
      lookup: async () => lookups.shift() ?? [],
    });
    await expect(get(agent, 'https://rebind.example/')).rejects.toThrow('Nothing is connected');
    await expect(get(agent, 'https://rebind.example/')).rejects.toMatchObject(blockedError);
    await expect(get(agent, 'https://rebind.example/')).rejects.toThrow('Nothing is connected');
    expect(usedAddresses).toEqual([['8.8.8.8'], ['1.1.1.1', '2606:4700::1111']]);
  });

  it('connects to the checked address even if the name resolves differently afterwards', async () => {
    const { cert, key } = createTestCertificate([RECEIVER]);
    const checkedReceiver = await openHostileReceiver({ cert, key });
    const otherReceiver = await openHostileReceiver(
      { cert, key },
      { host: '127.0.0.2', port: checkedReceiver.port },
    );
    const lookups = [['127.0.0.1'], ['127.0.0.2']];
    const agent = openAgent({ ca: cert, lookup: async () => lookups.shift() ?? [] });
    await get(agent, `https://${RECEIVER}:${checkedReceiver.port}/ok`);
    expect([checkedReceiver.requests.length, otherReceiver.requests.length]).toEqual([1, 0]);
    await Promise.all([checkedReceiver.close(), otherReceiver.close()]);
  });

  it.each(['https://127.0.0.1', 'https://[::1]', 'https://[::ffff:127.0.0.1]', 'https://0x7f.1'])(
    'refuses the literal %s before connecting',
    async (origin) => {
      const { usedAddresses, createConnector } = openRecorder();
      const lookup = () => Promise.reject(new Error('DNS was asked.'));
      const agent = openAgent({ policy: NOTHING_LISTED, createConnector, lookup });
      await expect(get(agent, `${origin}/`)).rejects.toMatchObject(blockedError);
      expect(usedAddresses).toEqual([]);
    },
  );

  it.each([
    ['https://8.8.8.8/', '8.8.8.8'],
    ['https://[2606:4700::1111]/', '2606:4700::1111'],
  ])('pins %s to itself', async (url, address) => {
    const { usedAddresses, createConnector } = openRecorder();
    const lookup = () => Promise.reject(new Error('DNS was asked.'));
    const agent = openAgent({ policy: NOTHING_LISTED, createConnector, lookup });
    await expect(get(agent, url)).rejects.toThrow('Nothing is connected');
    expect(usedAddresses).toEqual([[address]]);
  });

  it("verifies the certificate of the URL's host, not of the host header", async () => {
    const certificate = createTestCertificate(['other.fixture']);
    const otherReceiver = await openHostileReceiver(certificate);
    const url = `https://${RECEIVER}:${otherReceiver.port}/ok`;
    const request = get(openAgent({ ca: certificate.cert }), url, { host: 'other.fixture' });
    await expect(request).rejects.toMatchObject({ failure: 'tls' });
    expect(otherReceiver.serverNames.filter((name) => name !== RECEIVER)).toEqual([]);
    await otherReceiver.close();
  });

  it('accepts a certificate for a listed IP address', async () => {
    const certificate = createTestCertificate(['127.0.0.1']);
    const otherReceiver = await openHostileReceiver(certificate);
    const policy = parseTargetPolicy([`127.0.0.1:${otherReceiver.port}`], 'production');
    const agent = openAgent({ policy, ca: certificate.cert });
    expect(await get(agent, `https://127.0.0.1:${otherReceiver.port}/ok`)).toMatchObject({
      statusCode: 200,
    });
    await otherReceiver.close();
  });

  it('refuses plain http to a listed host in production', async () => {
    const url = `http://${RECEIVER}:${receiver.port}/ok`;
    await expect(get(openAgent(), url)).rejects.toMatchObject({ ...blockedError, rule: 'scheme' });
  });

  it('times out if DNS does not respond', async () => {
    const agent = openAgent({ lookup: () => new Promise(() => {}), timeoutMs: 100 });
    await expect(get(agent, receiver.urlOf('ok'))).rejects.toMatchObject({ failure: 'timeout' });
  });

  it('reports an exception of the connector instead of hanging', async () => {
    const createConnector = () => () => {
      throw new TypeError('The certificate authority is not readable.');
    };
    await expect(get(openAgent({ createConnector }), receiver.urlOf('ok'))).rejects.toThrow(
      TypeError,
    );
  });
});
