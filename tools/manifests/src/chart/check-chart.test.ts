import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { readFiles, textOf } from '../files.ts';
import { checkChart, FEATURE_SETS } from './check-chart.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const FILES = readFiles(ROOT, []);
const VALUES = 'deploy/helm/witan/values.yaml';
const LEDGER = 'deploy/helm/witan/templates/ledger.yaml';

const MUTATIONS = [
  ['a default that the manifests do not have', VALUES, 'maxReplicas: 6', 'maxReplicas: 7'],
  ['another default port of PostgreSQL', VALUES, 'port: 5432', 'port: 5433'],
  ['a default that the schema refuses', VALUES, 'LOG_LEVEL: info', 'LOG_LEVEL: loud'],
  ['a default image of another name', VALUES, 'repository: witan', 'repository: other'],
  ['a template that was edited', LEDGER, 'minReadySeconds: 35', 'minReadySeconds: 5'],
  ['an old version', 'deploy/helm/witan/Chart.yaml', 'version: 0.1.0', 'version: 0.0.9'],
  [
    'manifests that changed',
    'deploy/k8s/base/pod.yaml',
    'minReadySeconds: 35',
    'minReadySeconds: 40',
  ],
  [
    'manifests without the object of a substitution',
    'deploy/k8s/overlays/prod/data-stores.yaml',
    'name: to-nats',
    'name: to-broker',
  ],
] as const;

describe('checkChart', () => {
  it('accepts the chart in the repository', () => {
    expect(checkChart(FILES)).toEqual([]);
  });

  it('compares every set of features', () => {
    expect(new Set(FEATURE_SETS.map((features) => features.join())).size).toBe(16);
  });

  it.each(MUTATIONS)('reports %s', (_name, path, from, to) => {
    const text = textOf(FILES, path);
    expect(text).toContain(from);
    expect(checkChart(new Map([...FILES, [path, text.replace(from, to)]]))).not.toEqual([]);
  });
});
