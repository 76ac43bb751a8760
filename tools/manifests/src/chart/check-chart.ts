import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { ROOT_PACKAGE, textOf } from '../files.ts';
import type { Files } from '../files.ts';
import { isManifest, objectAt, titleOf } from '../manifest.ts';
import type { Json, JsonObject, Manifest } from '../manifest.ts';
import { sortNamedEntries } from '../sort-named-entries.ts';
import {
  CHART,
  composeWith,
  evaluateTemplates,
  FEATURES,
  HEADER,
  makeChart,
  makeTemplates,
  toChartObjects,
} from './make-chart.ts';
import type { Feature } from './make-chart.ts';

type Templates = ReturnType<typeof makeTemplates>;

/** Every set of features, from none to all. */
export const FEATURE_SETS: readonly (readonly Feature[])[] = FEATURES.reduce<Feature[][]>(
  (sets, feature) => [...sets, ...sets.map((one) => [...one, feature])],
  [[]],
);

/**
 * Checks that the generated files of the chart are current, that its default values are valid, and
 * that it renders the objects of the manifests with these values and every set of features.
 */
export const checkChart = (files: Files): string[] => {
  try {
    const templates = makeTemplates(files);
    return [
      ...checkGenerated(files, templates),
      ...checkValues(files),
      ...checkDefaults(files, templates),
    ];
  } catch (error) {
    if (!Error.isError(error)) throw error;
    return [`${CHART} cannot be generated. ${error.message}`];
  }
};

const checkGenerated = (files: Files, templates: Templates): string[] => {
  const generated = makeChart(files, templates);
  const existing = [...files]
    .filter(([path, text]) => path.startsWith(`${CHART}/templates/`) && text.startsWith(HEADER))
    .map(([path]) => path);
  return [...new Set([...generated.keys(), ...existing])]
    .filter((path) => files.get(path) !== generated.get(path))
    .map((path) => `${path} is not what deploy/k8s makes of it; run --write.`);
};

const readValues = (files: Files): JsonObject =>
  parse(textOf(files, `${CHART}/values.yaml`)) as JsonObject;

const checkValues = (files: Files): string[] => {
  const schema = JSON.parse(textOf(files, `${CHART}/values.schema.json`)) as object;
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  ajv.validate(schema, readValues(files));
  return (ajv.errors ?? []).map(
    ({ instancePath, message }) => `${CHART}/values.yaml: ${instancePath} ${message ?? ''}.`,
  );
};

const checkDefaults = (files: Files, templates: Templates): string[] => {
  const { version: appVersion } = JSON.parse(textOf(files, ROOT_PACKAGE)) as { version: string };
  return FEATURE_SETS.flatMap((features) => {
    const values = withFeatures(readValues(files), features);
    const rendered = evaluateTemplates(templates, { values, namespace: 'witan', appVersion });
    return compareObjects(rendered.filter(isManifest), composeWith(files, features)).map(
      (finding) => `${CHART} with ${features.join(', ') || 'no feature'}: ${finding}`,
    );
  });
};

const withFeatures = (values: JsonObject, features: readonly Feature[]): JsonObject => ({
  ...values,
  ...Object.fromEntries(
    FEATURES.map((name) => [name, { ...objectAt(values, name), enabled: features.includes(name) }]),
  ),
});

/**
 * Compares the objects of the chart with those of the manifests, except for the differences that
 * its README names: the Namespace, the name of the ConfigMap, annotations, and the network policies
 * of the Jobs.
 */
export const compareObjects = (
  chart: readonly Manifest[],
  manifests: readonly Manifest[],
): string[] => {
  const found = toComparable(chart.filter((one) => !isHookPolicy(one)));
  const expected = toComparable(toChartObjects(manifests));
  return [...new Set([...found.keys(), ...expected.keys()])]
    .filter((title) => !isDeepStrictEqual(found.get(title), expected.get(title)))
    .map((title) => `${title} differs from deploy/k8s.`);
};

const isHookPolicy = ({ kind, metadata }: Manifest): boolean =>
  kind === 'NetworkPolicy' && metadata.name.startsWith('release-');

const toComparable = (manifests: readonly Manifest[]): ReadonlyMap<string, Json> =>
  new Map(manifests.map((one) => [titleOf(one), sortNamedEntries(withoutAnnotations(one))]));

/** Removes the annotations of the object and of its pods; the manifests have none. */
const withoutAnnotations = ({ metadata, ...rest }: Manifest): JsonObject => {
  const { annotations: _annotations, ...otherMetadata } = metadata;
  const template = objectAt(rest, 'spec', 'template');
  if (Object.keys(template).length === 0) return { ...rest, metadata: otherMetadata };
  const { annotations: _checksum, ...podMetadata } = objectAt(template, 'metadata');
  const spec = { ...objectAt(rest, 'spec'), template: { ...template, metadata: podMetadata } };
  return { ...rest, metadata: otherMetadata, spec };
};
