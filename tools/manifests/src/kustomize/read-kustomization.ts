import { parse } from 'yaml';
import { isObject, toText } from '../manifest.ts';
import type { Json, JsonObject } from '../manifest.ts';

export type Target = { kind: string; name?: string };
export type Patch = { path?: string; patch?: string; target?: Target };
export type Labels = { pairs: Record<string, string>; includeTemplates?: boolean };
export type Generator = {
  name: string;
  literals?: string[];
  files?: string[];
  behavior?: 'merge';
};
export type Image = { name: string; newName?: string; newTag?: string; digest?: string };

export type Kustomization = {
  namespace?: string;
  resources: string[];
  components: string[];
  patches: Patch[];
  labels: Labels[];
  configMapGenerator: Generator[];
  images: Image[];
};

/**
 * Supported fields of each section. Other fields are refused, because `compose` would ignore them.
 */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  kustomization: [
    'apiVersion',
    'kind',
    'namespace',
    'resources',
    'components',
    'patches',
    'labels',
    'configMapGenerator',
    'images',
  ],
  patches: ['path', 'patch', 'target'],
  target: ['kind', 'name'],
  labels: ['pairs', 'includeTemplates'],
  configMapGenerator: ['name', 'literals', 'files', 'behavior'],
  images: ['name', 'newName', 'newTag', 'digest'],
};

export const readKustomization = (path: string, text: string): Kustomization => {
  const found: Json = parse(text);
  if (!isObject(found)) throw new Error(`${path} is not a kustomization.`);
  refuseUnknown(path, 'kustomization', found);
  for (const field of ['patches', 'labels', 'configMapGenerator', 'images']) {
    for (const entry of asList(found[field])) {
      refuseUnknown(path, field, entry);
      if (isObject(entry.target)) refuseUnknown(path, 'target', entry.target);
      if ((entry.behavior ?? 'merge') !== 'merge') {
        throw new Error(`${path}: behavior ${toText(entry.behavior)} is not composed.`);
      }
    }
  }
  const empty = {
    resources: [],
    components: [],
    patches: [],
    labels: [],
    configMapGenerator: [],
    images: [],
  };
  return { ...empty, ...found };
};

const asList = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const refuseUnknown = (path: string, section: string, value: JsonObject): void => {
  const unknown = Object.keys(value).filter((field) => !KNOWN[section]!.includes(field));
  if (unknown.length === 0) return;
  throw new Error(
    `${path} uses ${unknown.join(', ')} in ${section}, which tools/manifests does not compose: ` +
      'add support for it, or avoid it.',
  );
};
