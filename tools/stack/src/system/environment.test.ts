import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeEnvironments } from './environment.ts';
import { openHome } from './home.ts';
import type { Home } from './home.ts';

const SERVICES = ['agents', 'api-gateway', 'ledger', 'llm-gateway', 'notifier', 'simulation'];

describe('the environments of services', () => {
  let dir: string;
  let home: Home;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'witan-environment-'));
    home = await openHome(dir);
  });
  afterEach(async () => {
    await home.release();
    await rm(dir, { recursive: true, force: true });
  });

  const makeServiceEnvironments = (env: Record<string, string>) =>
    makeEnvironments({
      home,
      env,
      databaseUrls: Object.fromEntries(SERVICES.map((name) => [name, `postgresql://${name}@db/w`])),
      natsUrl: 'nats://127.0.0.1:4222',
      grpcPorts: {},
      adminPorts: {},
      httpPort: 0,
    });

  it.each([
    ['OPENAI_API_KEY', ['llm-gateway']],
    ['ANTHROPIC_API_KEY', ['llm-gateway']],
    ['ANTHROPIC_AUTH_TOKEN', ['llm-gateway']],
    ['WITAN_SIGNING_KEY_FILE', ['ledger']],
    ['WITAN_LOG_KEY_FILE', ['ledger']],
    ['WITAN_LOG_ORIGIN', ['ledger']],
    ['WITAN_SECRETS_KEY', ['agents', 'api-gateway', 'llm-gateway', 'notifier']],
    ['NATS_URL', ['agents', 'notifier', 'simulation']],
    ['CLOUD_SECRET_ACCESS_KEY', []],
    ['LOG_LEVEL', SERVICES],
    ['PATH', SERVICES],
    ['LD_LIBRARY_PATH', SERVICES],
    ['UV_THREADPOOL_SIZE', SERVICES],
    ['OPENSSL_CONF', SERVICES],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', SERVICES],
  ])('contain %s only for the services that read it', async (name, services) => {
    const given = {
      ANTHROPIC_API_KEY: name === 'ANTHROPIC_AUTH_TOKEN' ? '' : 'sk-ant',
      ANTHROPIC_AUTH_TOKEN: 'token',
      CLOUD_SECRET_ACCESS_KEY: 'secret',
      LD_LIBRARY_PATH: '/opt/lib',
      LOG_LEVEL: 'warn',
      OPENSSL_CONF: '/etc/openssl.cnf',
      UV_THREADPOOL_SIZE: '8',
      OPENAI_API_KEY: 'sk-openai',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      PATH: '/bin',
    };
    const environments = await makeServiceEnvironments(given);
    const holders = SERVICES.filter((service) => environments[service]![name] !== undefined);
    expect(holders).toEqual(services);
  });

  it("contain each service's own key and database", async () => {
    const environments = await makeServiceEnvironments({});
    for (const service of SERVICES) {
      const environment = environments[service]!;
      expect(environment['WITAN_SERVICE_KEY_FILE']).toMatch(`/service-${service}.pem`);
      expect(environment['DATABASE_URL']).toBe(`postgresql://${service}@db/w`);
    }
  });

  it('pass invalid settings on to the service, which reports them', async () => {
    const environments = await makeServiceEnvironments({ GATEWAY_MAX_OUTPUT_TOKENS: 'many' });
    expect(environments['llm-gateway']).toMatchObject({ GATEWAY_MAX_OUTPUT_TOKENS: 'many' });
  });
});
