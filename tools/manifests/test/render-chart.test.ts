import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { compareObjects, FEATURE_SETS } from '../src/chart/check-chart.ts';
import { CHART, composeWith, FEATURES } from '../src/chart/make-chart.ts';
import { checkOverlay } from '../src/check-manifests.ts';
import { readFiles } from '../src/files.ts';
import { readManifests } from '../src/kustomize/compose.ts';
import { at, listAt, objectAt, textAt, titleOf } from '../src/manifest.ts';
import type { JsonObject, Manifest } from '../src/manifest.ts';
import { READERS } from '../src/readers.ts';
import { toRendered } from '../src/rendered.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** A helm that was built from its Go module assumes an old version. */
const KUBERNETES = '1.35.4';
const BYTES_MAX = 16 * 1024 * 1024;
const FILES = readFiles(ROOT, Object.keys(READERS));
const NAMESPACE = composeWith(FILES, []).find(({ kind }) => kind === 'Namespace')!;

const hasHelm = spawnSync('helm', ['version']).status === 0;
const describeHelm = hasHelm ? describe : describe.skip;

const SERVICES = Object.keys(READERS);
const forEachService = (values: JsonObject): JsonObject => ({
  services: Object.fromEntries(SERVICES.map((service) => [service, values])),
});
/** The limit of CPU requests is for overlays/dev, which the rule knows by its fixed replicas. */
const isForLaptops = (finding: string): boolean => finding.includes('a small node has');
const DIGEST = `sha256:${'a'.repeat(64)}`;

/** Values of installations that differ from the manifests. */
const INSTALLATIONS: Readonly<Record<string, JsonObject>> = {
  'an Ingress with TLS': {
    ingress: {
      enabled: true,
      className: 'nginx',
      host: 'witan.example.org',
      tlsSecretName: 'witan-certificate',
      annotations: { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '900' },
    },
  },
  'fixed replicas without autoscaling': forEachService({
    replicas: 3,
    autoscaling: { enabled: false },
  }),
  'fixed replicas with KEDA': {
    ...forEachService({ autoscaling: { enabled: false } }),
    keda: { enabled: true },
  },
  'one replica of everything for a demonstration': {
    ...forEachService({
      replicas: 1,
      autoscaling: { enabled: false },
      resources: { requests: { cpu: '20m' } },
    }),
    jobs: { resources: { requests: { cpu: '20m' } } },
    podDisruptionBudgets: { enabled: false },
    tls: { enabled: false },
    defaultProvider: 'offline',
    nats: { streamReplicas: '1' },
  },
  'servers outside the cluster': {
    postgres: { to: [{ ipBlock: { cidr: '203.0.113.10/32' } }] },
    nats: { to: [{ ipBlock: { cidr: '203.0.113.11/32' } }] },
  },
  'another registry, digests and pull secrets': {
    image: {
      repository: 'registry.example.org/ai/witan',
      pullPolicy: 'IfNotPresent',
      pullSecrets: [{ name: 'registry' }],
    },
    ...forEachService({ image: { digest: DIGEST } }),
  },
  'a certificate of a private authority in every pod': {
    extraVolumes: [{ name: 'keys', configMap: { name: 'service-public-keys' } }],
    extraVolumeMounts: [{ name: 'keys', mountPath: '/etc/authority', readOnly: true }],
    ...forEachService({
      extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/authority/keys.json' }],
    }),
  },
  'settings of pods and monitoring': {
    pod: {
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
      priorityClassName: 'high',
    },
    monitoring: { enabled: true, release: 'prometheus' },
    settings: { LOG_LEVEL: 'debug', METERING: 'metered' },
  },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witan-chart-'));
});
afterAll(() => rm(folder, { recursive: true }));

const runHelm = async (command: readonly string[], values: JsonObject): Promise<string> => {
  const file = join(folder, 'values.yaml');
  await writeFile(file, stringify(values));
  const options = ['--namespace', 'witan', '--values', file, '--kube-version', KUBERNETES];
  const argv = [...command, join(ROOT, CHART), ...options];
  const { stdout } = await promisify(execFile)('helm', argv, { maxBuffer: BYTES_MAX });
  return stdout;
};
const render = async (values: JsonObject): Promise<Manifest[]> => {
  const stdout = await runHelm(['template', 'witan'], values);
  return readManifests('helm template', stdout.replace(/^---\n/, ''));
};
const find = (manifests: readonly Manifest[], title: string): Manifest =>
  manifests.find((one) => titleOf(one) === title)!;

const REASON = hasHelm ? '' : ' (helm is not on PATH)';

describeHelm(`objects of the chart${REASON}`, () => {
  it.each(FEATURE_SETS.map((features) => [features.join(', ') || 'no feature', features] as const))(
    'renders the objects of the manifests with %s',
    async (_name, features) => {
      const values = Object.fromEntries(
        FEATURES.map((name) => [name, { enabled: features.includes(name) }]),
      );
      expect(compareObjects(await render(values), composeWith(FILES, features))).toEqual([]);
    },
  );

  it.each(Object.entries(INSTALLATIONS))('renders valid objects with %s', async (_name, values) => {
    const manifests = [NAMESPACE, ...(await render(values))];
    const findings = checkOverlay(toRendered('chart', manifests), FILES, READERS);
    expect(findings.filter((finding) => !isForLaptops(finding))).toEqual([]);
    expect(await runHelm(['lint', '--strict'], values)).toContain('0 chart(s) failed');
  });
});

describeHelm(`values of the chart${REASON}`, () => {
  it('runs the Jobs before anything else of a release, and the account and policies before them', async () => {
    const manifests = await render({});
    const weightOf = ({ metadata }: Manifest): string | undefined =>
      textAt(metadata, 'annotations', 'helm.sh/hook') === 'pre-install,pre-upgrade'
        ? textAt(metadata, 'annotations', 'helm.sh/hook-weight')
        : undefined;
    const hooks = manifests.flatMap((one) => {
      const weight = weightOf(one);
      return weight === undefined ? [] : [[titleOf(one), Number(weight)] as const];
    });
    const jobs = manifests.filter(({ kind }) => kind === 'Job');
    expect(hooks.toSorted(([, a], [, b]) => a - b).map(([title]) => title)).toEqual(
      [
        'NetworkPolicy release-dns',
        'NetworkPolicy release-to-postgres',
        'NetworkPolicy release-to-nats',
        'ServiceAccount release',
        'Job topology',
        ...jobs.map(titleOf).filter((title) => title !== 'Job topology'),
      ].toSorted((a, b) => orderOf(hooks, a) - orderOf(hooks, b)),
    );
    expect(jobs).toHaveLength(SERVICES.length + 1);
  });

  it('restarts the pods when a setting changes', async () => {
    const checksumOf = async (values: JsonObject): Promise<string> => {
      const deployment = find(await render(values), 'Deployment ledger');
      const metadata = objectAt(deployment, 'spec', 'template', 'metadata');
      return textAt(metadata, 'annotations', 'checksum/settings');
    };
    expect(await checksumOf({})).toMatch(/^[\da-f]{64}$/);
    expect(await checksumOf({ settings: { METERING: 'metered' } })).not.toBe(await checksumOf({}));
  });

  it('replaces one service at a time by its tag', async () => {
    const values = { image: { tag: '0.0.9' }, services: { ledger: { image: { tag: '0.1.0' } } } };
    const manifests = await render(values);
    const imageOf = (title: string): string =>
      textAt(listAt(find(manifests, title), 'spec', 'template', 'spec', 'containers')[0], 'image');
    expect(imageOf('Deployment ledger')).toBe('witan/ledger:0.1.0');
    expect(imageOf('Deployment agents')).toBe('witan/agents:0.0.9');
  });

  it('reads other Secrets and reaches other ports', async () => {
    const manifests = await render({
      services: { agents: { secretName: 'agents-prod', tlsSecretName: 'agents-prod-tls' } },
      postgres: { port: 6432 },
    });
    const text = JSON.stringify(find(manifests, 'Deployment agents'));
    expect(text).not.toMatch(/"(name|secretName)":"agents(-tls)?","(key|defaultMode)"/);
    expect(text).toContain('"secretName":"agents-prod-tls"');
    const [rule] = listAt(find(manifests, 'NetworkPolicy to-postgres'), 'spec', 'egress');
    expect(at(listAt(rule, 'ports')[0], 'port')).toBe(6432);
  });

  it.each([
    ['an unknown value', { replicas: 3 }],
    ['a setting that no service reads', { settings: { LOGLEVEL: 'info' } }],
    ['no peers, which a network policy understands as all', { postgres: { to: [] } }],
    ['no replicas', { services: { ledger: { replicas: 0 } } }],
    ['a tag in the place of a digest', { services: { ledger: { image: { digest: '0.1.0' } } } }],
  ])('refuses %s', async (_name, values) => {
    await expect(render(values)).rejects.toThrow(/values don't meet the specifications/);
  });
});

const orderOf = (hooks: readonly (readonly [string, number])[], title: string): number =>
  hooks.find(([one]) => one === title)?.[1] ?? Number.NaN;
