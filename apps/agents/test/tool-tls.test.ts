import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolService } from '@witan/contracts/services';
import { newId } from '@witan/service-kit';
import { createTestDatabase, openReceiver } from '@witan/testing';
import type { TestDatabase } from '@witan/testing';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import { optionsFor, openAgents } from './open-agents.ts';
import type { TestAgents } from './open-agents.ts';

const HOST = 'tool.fixture';

/** Target policy as in production: https only, and private addresses only for listed host names. */
const TARGETS = {
  environment: 'production',
  ports: [443],
  allowPrivate: [{ hostname: HOST, port: undefined }],
} as const;

describe('tools over TLS', () => {
  let database: TestDatabase;
  let agents: TestAgents;
  const trustedCertificate = createTestCertificate([HOST]);
  const otherHostCertificate = createTestCertificate(['other.fixture']);
  beforeAll(async () => {
    database = await createTestDatabase(['agents']);
    agents = await openAgents(database.urls.agents!, {
      config: { targets: TARGETS },
      lookup: async () => ['127.0.0.1'],
      ca: trustedCertificate.cert + otherHostCertificate.cert,
    });
  });
  afterAll(async () => {
    await agents[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const call = async (certificate: typeof trustedCertificate) => {
    await using receiver = await openReceiver(certificate);
    receiver.respond('/in', (_turn, response) => {
      response.writeHead(200).end('{"sky":"clear"}');
      return 'wait';
    });
    const tools = agents.clientOf(ToolService);
    const workspaceId = newId('ws');
    const draft = {
      name: 'get_weather',
      description: 'The weather',
      parameters: '{"type":"object"}',
      url: receiver.urlOf('/in').replace('127.0.0.1', HOST),
    };
    const { tool } = await tools.createTool(draft, optionsFor(workspaceId));
    const { run } = await tools.testTool({ id: tool!.id, arguments: '' }, optionsFor(workspaceId));
    return { run, requests: receiver.requestsOf('/in') };
  };

  it('are called by host name', async () => {
    const { run, requests } = await call(trustedCertificate);
    expect(run).toMatchObject({ status: 'ok', result: '{"sky":"clear"}' });
    expect(requests[0]!.headers.host).toMatch(HOST);
  });

  it.each([
    ['is self-signed', createTestCertificate([HOST])],
    ['has expired', createTestCertificate([HOST], { notAfter: new Date(2020, 1, 1) })],
    ['is for another name', otherHostCertificate],
  ])('are not called if their certificate %s', async (_name, certificate) => {
    const { run, requests } = await call(certificate);
    const error = 'There is no secure connection to the tool.';
    expect(run).toMatchObject({ status: 'error', error, result: '' });
    expect(run!.httpStatus).toBeUndefined();
    expect(requests).toEqual([]);
  });
});
