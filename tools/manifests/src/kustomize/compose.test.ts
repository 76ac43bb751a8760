import { describe, expect, it } from '@jest/globals';
import { objectAt } from '../manifest.ts';
import { compose } from './compose.ts';

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ledger }
spec:
  template:
    spec:
      containers:
        - name: service
          image: witan/ledger:1
          args: [a, b]
          env: [{ name: A, value: '1' }, { name: B, value: '2' }]
          readinessProbe: { grpc: { port: 1 } }
`;
const PATCH = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: any }
spec:
  template:
    spec:
      containers:
        - name: service
          args: [c]
          env: [{ name: B, value: '3' }, { name: C, value: '4' }]
          readinessProbe: { grpc: null, httpGet: { port: 2 } }
`;

const inFolder = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text] as const);

const base = (kustomization: string, files: Readonly<Record<string, string>> = {}) =>
  new Map(
    inFolder('base', {
      'kustomization.yaml': kustomization,
      'ledger.yaml': DEPLOYMENT,
      'patch.yaml': PATCH,
      ...files,
    }),
  );

describe('compose', () => {
  it('merges lists by key, replaces other lists, and deletes null fields', () => {
    const files = base(
      'resources: [ledger.yaml]\npatches: [{ path: patch.yaml, target: { kind: Deployment } }]',
    );
    const [ledger] = compose(files, 'base');
    expect(ledger?.metadata.name).toBe('ledger');
    expect(objectAt(ledger, 'spec', 'template', 'spec').containers).toEqual([
      {
        name: 'service',
        image: 'witan/ledger:1',
        args: ['c'],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '3' },
          { name: 'C', value: '4' },
        ],
        readinessProbe: { httpGet: { port: 2 } },
      },
    ]);
  });

  it('updates references to the hashed name of a merged ConfigMap', () => {
    const overlay = `
resources: [../base]
configMapGenerator: [{ name: settings, behavior: merge, literals: [A=2] }]
`;
    const pod = DEPLOYMENT.replace("{ name: A, value: '1' }", '{ name: A, valueFrom: KEY }');
    const files = new Map([
      ...base(
        'resources: [ledger.yaml]\nconfigMapGenerator: [{ name: settings, literals: [A=1] }]',
        {
          'ledger.yaml': pod.replace('KEY', '{ configMapKeyRef: { name: settings, key: A } }'),
        },
      ),
      ...inFolder('overlay', { 'kustomization.yaml': overlay }),
    ]);
    const [ledger, settings] = compose(files, 'overlay');
    expect(settings).toMatchObject({ kind: 'ConfigMap', data: { A: '2' } });
    expect(settings?.metadata.name).toMatch(/^settings-[a-z\d]{10}$/);
    expect(JSON.stringify(ledger)).toContain(`"name":"${settings!.metadata.name}","key":"A"`);
  });

  it.each([
    ['an unsupported kustomize field', 'resources: []\nreplicas: []', /replicas/],
    ['a file above the folder', 'resources: [../ledger.yaml]', /outside of it/],
    ['a missing file', 'resources: [other.yaml]', /other.yaml is missing/],
    ['a patch without a target', 'patches: [{ path: patch.yaml }]', /which is not there/],
    ['a list of operations', 'patches: [{ patch: "[]" }]', /only strategic merge/],
    [
      'a merge without a base',
      'configMapGenerator: [{ name: settings, behavior: merge }]',
      /no ConfigMap settings/,
    ],
  ])('refuses %s', (_what, kustomization, message) => {
    expect(() => compose(base(kustomization), 'base')).toThrow(message);
  });
});
