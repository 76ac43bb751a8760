import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestSystem } from '@witan/testing';
import type { TestSystem } from '@witan/testing';
import { parse } from 'yaml';
import { createHttpClient, PING } from './http-client.ts';
import { findUnknown, readExpressions } from './read-dashboard.ts';

type Metric = { name: string; type: string; services: string };
type DocumentedMetric = Metric & { labels: readonly string[] };

/** Matches the default metrics of prom-client, which docs/telemetry.md does not list. */
const RUNTIME = /^(process|nodejs)_/;

const readRepository = (path: string): Promise<string> =>
  readFile(new URL(`../${path}`, import.meta.url), 'utf8');

const readTable = async (): Promise<DocumentedMetric[]> =>
  [
    ...(await readRepository('docs/telemetry.md')).matchAll(
      /^\| `(\w+)` +\| (counter|gauge|histogram) +\| ([^|]*?) *\| ([^|]*?) *\|/gm,
    ),
  ].map(([, name = '', type = '', labels = '', services = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label!),
    services,
  }));

/** Returns the name and the label names of each sample in a text in the Prometheus format. */
const readSamples = (text: string): { name: string; labels: string[] }[] =>
  [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? [\d.eE+-]+$/gm)].map(([, name = '', labels = '']) => ({
    name,
    labels: [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label!),
  }));

describe('metrics of all services', () => {
  let system: TestSystem;
  let table: DocumentedMetric[];
  const metricsByService = new Map<string, string>();

  beforeAll(async () => {
    table = await readTable();
    system = await openTestSystem();
    const client = createHttpClient(system);
    expect((await client.complete(PING)).status).toBe(200);
    expect((await client.send('/v1/nowhere')).status).toBe(404);
    for (const [service, url] of Object.entries(system.adminUrls)) {
      metricsByService.set(service, await (await fetch(`${url}/metrics`)).text());
    }
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  const listRegistered = (): Metric[] => {
    const found = [...metricsByService].flatMap(([service, text]) =>
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({
        name,
        type,
        service,
      })),
    );
    return [...Map.groupBy(found, ({ name }) => name).values()]
      .filter(([{ name } = { name: '' }]) => !RUNTIME.test(name))
      .map((all) => {
        const services = all.map(({ service }) => service).toSorted();
        const { name, type } = all[0]!;
        return {
          name,
          type,
          services: services.length === metricsByService.size ? 'all' : services.join(),
        };
      });
  };

  it('are exactly those of the table in docs/telemetry.md', () => {
    const byName = (a: Metric, b: Metric): number => (a.name < b.name ? -1 : 1);
    const documented = table.map(({ name, type, services }) => ({
      name,
      type,
      services: services.split(', ').toSorted().join(),
    }));
    expect(documented.toSorted(byName)).toEqual(listRegistered().toSorted(byName));
  });

  it('have the labels of that table, none of which identifies tenants', () => {
    const samples = [...metricsByService.values()].flatMap(readSamples);
    for (const { name, type, labels } of table) {
      const isOwn = (sample: string): boolean =>
        type === 'histogram'
          ? sample.replace(/_(bucket|sum|count)$/, '') === name
          : sample === name;
      const usedLabels = samples
        .filter((sample) => isOwn(sample.name))
        .flatMap((sample) => sample.labels);
      const unknown = usedLabels.filter((label) => label !== 'le' && !labels.includes(label));
      expect([name, unknown]).toEqual([name, []]);
      expect(labels.filter((label) => /workspace|agent|tool|webhook|key|user/.test(label))).toEqual(
        [],
      );
    }
  });

  it('have names with their units: counters end in total, times in seconds', () => {
    for (const { name, type } of table) {
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb)(_|$)/);
    }
  });

  it('include all that the dashboard queries', async () => {
    const dashboard: unknown = JSON.parse(await readRepository('deploy/grafana/witan.json'));
    const expressions = readExpressions(dashboard);
    expect(expressions.length).toBeGreaterThan(40);
    const runtime = [...metricsByService.values()]
      .flatMap((text) => [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!))
      .filter((name) => RUNTIME.test(name));
    const knownMetrics = [
      ...table,
      ...runtime.map((name) => ({ name, type: 'gauge', labels: [] })),
    ];
    expect(findUnknown(expressions, knownMetrics)).toEqual([]);
  });

  it('include all that the alerts query', async () => {
    const path = 'deploy/k8s/components/monitoring/alerts.yaml';
    const expressions = readExpressions(parse(await readRepository(path)));
    expect(expressions).toHaveLength(9);
    expect(findUnknown(expressions, table)).toEqual([]);
  });
});

describe('the check of a dashboard', () => {
  const knownMetrics = [
    { name: 'things_total', type: 'counter', labels: ['outcome'] },
    { name: 'thing_seconds', type: 'histogram', labels: [] },
  ];

  it.each([
    ['an unregistered metric', 'sum(rate(nothing_total{}[5m]))', 'nothing_total'],
    ['the sum series of a counter', 'rate(things_total_sum{}[5m])', 'things_total_sum'],
    ['a histogram without a series suffix', 'rate(thing_seconds{}[5m])', 'thing_seconds'],
    [
      'a label that the metric does not have',
      'sum by (colour) (rate(things_total{}[5m]))',
      'colour',
    ],
    [
      'a filter by a label that the metric does not have',
      'rate(things_total{colour="red"}[5m])',
      'colour',
    ],
    ['a metric without braces', 'sum(things_total)', 'things_total'],
  ])('reports %s', (_name, expression, unknown) => {
    expect(findUnknown([expression], knownMetrics)).toEqual([unknown]);
  });

  it('accepts known metrics', () => {
    const expressions = [
      'sum by (outcome) (rate(things_total{outcome!="ok"}[$__rate_interval])) / 2',
      'histogram_quantile(0.95, sum by (le) (rate(thing_seconds_bucket{}[5m])))',
      'time() - max(things_total{})',
    ];
    expect(findUnknown(expressions, knownMetrics)).toEqual([]);
  });
});
