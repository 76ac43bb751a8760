import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { callGraph } from '@witan/contracts/call-graph';
import { choosePort } from '@witan/stack/postgres/choose-port';
import { eventually, NATS_MISSING, openTestNats, openTestPostgres } from '@witan/testing';
import type { TestNats, TestPostgres } from '@witan/testing';
import { readFiles } from '../src/files.ts';
import { listAt } from '../src/manifest.ts';
import { compose } from '../src/kustomize/compose.ts';
import { toRendered } from '../src/rendered.ts';
import type { Rendered, Workload } from '../src/rendered.ts';
import { openPods } from './open-pods.ts';
import type { Pods, Ports } from './open-pods.ts';

jest.setTimeout(300_000);

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SERVICES = Object.keys(callGraph);
const files = readFiles(ROOT, []);
const overlay = (name: string): Rendered =>
  toRendered(name, compose(files, `deploy/k8s/overlays/${name}`));
const withVariable = (workload: Workload, name: string, value: string): Workload => {
  const [container] = workload.containers;
  const others = listAt(container, 'env').filter((variable) => variable.name !== name);
  return { ...workload, containers: [{ ...container, env: [...others, { name, value }] }] };
};

const jobOf = (rendered: Rendered, name: string): Workload =>
  rendered.workloads.find(({ title }) => title === `Job ${name}`)!;

const describeBroker = NATS_MISSING ? describe.skip : describe;

describeBroker(`the manifests, as processes${NATS_MISSING ? ` (${NATS_MISSING})` : ''}`, () => {
  const [dev, prod] = [overlay('dev'), overlay('prod')];
  const serviceOf = (name: string) =>
    prod.workloads.find(({ title }) => title === `Deployment ${name}`)!;
  let postgres: TestPostgres;
  let nats: TestNats;
  let ports: Ports;
  let pods: Pods;

  beforeAll(async () => {
    [postgres, nats] = await Promise.all([openTestPostgres(), openTestNats().then((one) => one!)]);
    const freePort = () => choosePort({ wanted: 0 });
    const servicePorts = SERVICES.map(async (name) => {
      const [grpc, admin, http] = [await freePort(), await freePort(), await freePort()];
      return [name, { grpc, admin, http }] as const;
    });
    ports = Object.fromEntries(await Promise.all(servicePorts));
    pods = await openPods({ postgresUrl: postgres.url, natsUrl: nats.url, ports });
  });
  afterAll(async () => {
    await pods?.[Symbol.asyncDispose]();
    await Promise.all([nats?.[Symbol.asyncDispose](), postgres?.[Symbol.asyncDispose]()]);
  });

  it('have Jobs that create roles, schemas and streams', async () => {
    const job = withVariable(jobOf(dev, 'provision'), 'DATABASE_URL', postgres.url);
    expect(pods.runJob(dev, job)).toContain('are there');
    // Only one of the six migration Jobs runs here: they are alike, and services also migrate when
    // they start.
    expect(pods.runJob(prod, jobOf(prod, 'migrate-ledger'))).toContain('ledger: 0001');
    expect(pods.runJob(dev, jobOf(dev, 'topology'))).toContain('stream EVENTS: added');
  });

  it('have services that reach each other, use TLS, and respond', async () => {
    const starts = SERVICES.map((name) => {
      const workload = serviceOf(name);
      if (name !== 'llm-gateway') return pods.startService(prod, workload);
      const offline = withVariable(workload, 'WITAN_DEFAULT_PROVIDER', 'offline');
      return pods.startService(prod, offline);
    });
    await Promise.all(starts);
    for (const [name, { admin }] of Object.entries(ports)) {
      const isReady = async () => (await fetch(`http://127.0.0.1:${admin}/readyz`)).ok;
      await eventually(isReady, `the readiness of ${name}`);
    }
    const gateway = serviceOf('api-gateway');
    const made = pods.runInService(prod, gateway, ['workspace', 'create', 'a cluster', '--json']);
    const { apiKey } = JSON.parse(made) as { apiKey: string };
    const answer = await fetch(
      `http://127.0.0.1:${ports['api-gateway']!.http}/v1/chat/completions`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'service-auto',
          messages: [{ role: 'user', content: 'Hello' }],
        }),
      },
    );
    expect([answer.status, answer.headers.get('x-service-proof')]).toEqual([
      200,
      expect.stringMatching(/^pf_/),
    ]);
  });

  it('have services that exit cleanly', async () => {
    expect(await pods.stop()).toEqual(SERVICES.map(() => 0));
  });
});
