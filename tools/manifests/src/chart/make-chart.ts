import { parse, stringify } from 'yaml';
import { ROOT_PACKAGE, textOf } from '../files.ts';
import type { Files } from '../files.ts';
import { compose } from '../kustomize/compose.ts';
import { titleOf } from '../manifest.ts';
import type { Json, JsonObject, Manifest } from '../manifest.ts';
import { mergeVariant } from './merge-variant.ts';
import { printTemplate } from './print-template.ts';
import { substitute, toHookPolicy } from './sites.ts';
import { evaluate, toNode } from './template-node.ts';
import type { ChartContext, TemplateNode } from './template-node.ts';

export const CHART = 'deploy/helm/witan';
const OVERLAY = 'deploy/k8s/overlays/prod';

/** Components of the manifests that a value of the chart, `<name>.enabled`, adds. */
export const FEATURES = ['tls', 'telemetry', 'keda', 'monitoring'] as const;
export type Feature = (typeof FEATURES)[number];

/** Returns overlays/prod with these components instead of its own. */
export const composeWith = (files: Files, features: readonly Feature[]): Manifest[] => {
  const path = `${OVERLAY}/kustomization.yaml`;
  const kustomization = parse(textOf(files, path)) as JsonObject;
  const components = features.map((name) => `../../components/${name}`);
  const text = stringify({ ...kustomization, components });
  return compose(new Map([...files, [path, text]]), OVERLAY);
};

/**
 * Returns the objects that the chart contains: without the Namespace, which Helm needs before it
 * installs a chart, and with a ConfigMap whose name has no hash.
 */
export const toChartObjects = (manifests: readonly Manifest[]): Manifest[] => {
  const text = JSON.stringify(manifests.filter(({ kind }) => kind !== 'Namespace'));
  return JSON.parse(text.replaceAll(/"settings-[a-z\d]{10}"/g, '"settings"')) as Manifest[];
};

const toObjectsByTitle = (manifests: readonly Manifest[]): JsonObject =>
  Object.fromEntries(toChartObjects(manifests).map((one) => [titleOf(one), one]));

/** Returns the templates of all objects by title. */
export const makeTemplates = (files: Files): ReadonlyMap<string, TemplateNode> => {
  const all = toObjectsByTitle(composeWith(files, FEATURES));
  let root = toNode(all);
  for (const feature of FEATURES) {
    const others = FEATURES.filter((one) => one !== feature);
    const variant = toObjectsByTitle(composeWith(files, others));
    root = mergeVariant(root, variant, [feature, 'enabled']);
  }
  if (root.type !== 'map') throw new Error('The objects of the chart are not a map.');
  const templates = new Map(
    [...root.entries].map(([title, node]) => {
      const [kind = '', name = ''] = title.split(' ');
      return [title, substitute(kind, name, node)] as const;
    }),
  );
  for (const [name, labels] of HOOK_POLICIES) {
    const policy = templates.get(`NetworkPolicy ${name}`)!;
    templates.set(`NetworkPolicy release-${name}`, toHookPolicy(policy, name, labels));
  }
  return templates;
};

const HOOK_POLICIES = [
  // A pod that any policy for outgoing traffic selects may send nothing else.
  ['dns', { 'app.kubernetes.io/component': 'release-job' }],
  ['to-postgres', { 'app.kubernetes.io/name': 'migrate' }],
  ['to-nats', { 'app.kubernetes.io/name': 'topology' }],
] as const;

/** Returns the objects that these values render, except the parts that are not generated. */
export const evaluateTemplates = (
  templates: ReadonlyMap<string, TemplateNode>,
  context: ChartContext,
): Json[] =>
  [...templates.values()].flatMap((node) => {
    const value = evaluate(node, context);
    return value === undefined ? [] : [value];
  });

/** The first line of every generated template. */
export const HEADER =
  '{{- /* Generated from deploy/k8s by `node tools/manifests/src/main.ts --write`. */ -}}';

const fileOf = (title: string): string => {
  const [kind = '', name = ''] = title.split(' ');
  if (kind === 'NetworkPolicy') return 'network-policies';
  if (kind === 'PodMonitor' || kind === 'PrometheusRule') return 'monitoring';
  return kind === 'Job' || name === 'release' ? 'release-jobs' : name;
};

const CHART_YAML = 'Chart.yaml';

/** Returns the generated files of the chart by path: its templates and Chart.yaml. */
export const makeChart = (
  files: Files,
  templates = makeTemplates(files),
): ReadonlyMap<string, string> => {
  const texts = new Map<string, string[]>();
  for (const [title, node] of templates) {
    const path = `${CHART}/templates/${fileOf(title)}.yaml`;
    texts.set(path, [...(texts.get(path) ?? [HEADER]), ...printDocument(node)]);
  }
  return new Map([
    [`${CHART}/${CHART_YAML}`, writeChartYaml(files)],
    ...[...texts].map(([path, lines]) => [path, `${lines.join('\n')}\n`] as const),
  ]);
};

const printDocument = (node: TemplateNode): string[] => {
  const lines = printTemplate(node);
  const first = lines.findIndex((line) => !line.startsWith('{{-'));
  return lines.toSpliced(first, 0, '---');
};

const writeChartYaml = (files: Files): string => {
  const { version, description, license } = JSON.parse(textOf(files, ROOT_PACKAGE)) as Record<
    string,
    string
  >;
  const chart = {
    apiVersion: 'v2',
    name: 'witan',
    description,
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.30.0-0',
    annotations: { 'artifacthub.io/license': license },
  };
  return stringify(chart, { singleQuote: true });
};
