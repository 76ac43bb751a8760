import { describe, expect, it } from '@jest/globals';
import { checkManifests } from '../src/check-manifests.ts';
import { READERS } from '../src/readers.ts';
import { K8S, mutate, toChange } from './mutate.ts';
import type { Mutation } from './mutate.ts';

const POD_MONITOR = `${K8S}/components/monitoring/pod-monitor.yaml`;
const ALERTS = `${K8S}/components/monitoring/alerts.yaml`;

const MUTATIONS: readonly Mutation[] = [
  [
    'a PodMonitor that selects no service',
    toChange(POD_MONITOR, 'component: service', 'component: services'),
    /PodMonitor services does not select ledger/,
  ],
  [
    'a PodMonitor that selects Jobs',
    toChange(
      POD_MONITOR,
      'selector: { matchLabels: { app.kubernetes.io/component: service } }',
      'selector: {}',
    ),
    /PodMonitor services selects Job migrate-ledger, which has no metrics/,
  ],
  [
    'a PodMonitor of another port',
    toChange(POD_MONITOR, 'port: admin', 'port: grpc'),
    /PodMonitor services scrapes grpc \/metrics, not admin/,
  ],
  [
    'a PodMonitor that names all jobs alike',
    toChange(POD_MONITOR, '/name', '/part-of'),
    /PodMonitor services does not name its jobs/,
  ],
  [
    'an unknown field of a PodMonitor',
    toChange(POD_MONITOR, 'scrapeTimeout', 'timeout'),
    /PodMonitor services: .*additional properties timeout/,
  ],
  [
    'an alert without an expression',
    toChange(ALERTS, 'expr: max(ledger', 'query: max(ledger'),
    /PrometheusRule services: .*required property 'expr'/,
  ],
];

describe('the check of components/monitoring', () => {
  it.each(MUTATIONS)('reports %s', (_what, change, finding) => {
    expect(checkManifests(mutate(change), READERS)).toEqual(
      expect.arrayContaining([expect.stringMatching(finding)]),
    );
  });
});
