import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { textOf } from '../files.ts';
import type { Files } from '../files.ts';
import { isManifest, isObject, listAt, objectAt, titleOf, toText } from '../manifest.ts';
import type { Json, JsonObject, Manifest } from '../manifest.ts';
import { mergePatch } from './merge-patch.ts';
import { readKustomization } from './read-kustomization.ts';
import type { Generator, Image, Kustomization, Labels, Patch } from './read-kustomization.ts';

/**
 * `generated` contains the names of generated ConfigMaps, to which a hash is appended in the last
 * step.
 */
type ComposedManifests = { manifests: Manifest[]; generated: Set<string> };

/**
 * Composes a folder as `kustomize build` does, for the features listed in `read-kustomization.ts`;
 * only the order of merged lists differs. Throws for other features. A test compares the output
 * with the real tool if it is installed.
 */
export const compose = (files: Files, folder: string): Manifest[] => {
  const { manifests, generated } = composeFolder(files, folder, {
    manifests: [],
    generated: new Set(),
  });
  return addHashes(manifests, generated);
};

const composeFolder = (
  files: Files,
  folder: string,
  start: ComposedManifests,
): ComposedManifests => {
  const path = posix.join(folder, 'kustomization.yaml');
  const kustomization = readKustomization(path, textOf(files, path));
  let composed = start;
  for (const resource of kustomization.resources) {
    composed = addResource(files, { folder, resource }, composed);
  }
  for (const generator of kustomization.configMapGenerator) {
    composed = addConfigMap(files, { folder, generator }, composed);
  }
  for (const component of kustomization.components) {
    composed = composeFolder(files, posix.join(folder, component), composed);
  }
  let { manifests } = composed;
  for (const patch of kustomization.patches) {
    manifests = applyPatch(manifests, readPatch(files, folder, patch), patch);
  }
  manifests = manifests.map((manifest) => applyTransformers(manifest, kustomization));
  return { manifests, generated: composed.generated };
};

const addResource = (
  files: Files,
  { folder, resource }: { folder: string; resource: string },
  { manifests, generated }: ComposedManifests,
): ComposedManifests => {
  if (resource.endsWith('.yaml')) {
    const added = readManifests(resource, textBelow(files, folder, resource));
    return { manifests: [...manifests, ...added], generated };
  }
  const empty = { manifests: [], generated: new Set<string>() };
  const added = composeFolder(files, posix.join(folder, resource), empty);
  return {
    manifests: [...manifests, ...added.manifests],
    generated: new Set([...generated, ...added.generated]),
  };
};

/**
 * Returns the text of a file in the folder. Throws for files outside of the folder, which kustomize
 * refuses to read.
 */
const textBelow = (files: Files, folder: string, path: string): string => {
  if (path.startsWith('..'))
    throw new Error(`${folder} refers to ${path}, which is outside of it.`);
  return textOf(files, posix.join(folder, path));
};

export const readManifests = (path: string, text: string): Manifest[] =>
  parseAllDocuments(text, { uniqueKeys: true }).map((document) => {
    const [error] = document.errors;
    if (error) throw new Error(`${path}: ${error.message}`);
    const value = document.toJS() as Json;
    if (!isManifest(value))
      throw new Error(`${path} contains something that is not a Kubernetes object.`);
    return value;
  });

const addConfigMap = (
  files: Files,
  { folder, generator }: { folder: string; generator: Generator },
  { manifests, generated }: ComposedManifests,
): ComposedManifests => {
  const { name, literals = [], files: names = [], behavior } = generator;
  const data = Object.fromEntries([
    ...literals.map((literal) => {
      const end = literal.indexOf('=');
      return [literal.slice(0, end), literal.slice(end + 1)] as const;
    }),
    ...names.map((file) => [posix.basename(file), textBelow(files, folder, file)] as const),
  ]);
  const configMap: Manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
  if (behavior !== 'merge') {
    return { manifests: [...manifests, configMap], generated: new Set([...generated, name]) };
  }
  if (!generated.has(name)) throw new Error(`${folder}: there is no ConfigMap ${name} to merge.`);
  const isSame = (one: Manifest): boolean => titleOf(one) === titleOf(configMap);
  return {
    manifests: manifests.map((one) =>
      isSame(one) ? { ...one, data: { ...objectAt(one, 'data'), ...data } } : one,
    ),
    generated,
  };
};

const readPatch = (files: Files, folder: string, { path, patch }: Patch): JsonObject => {
  const text = path === undefined ? (patch ?? '') : textBelow(files, folder, path);
  const found: Json = parse(text);
  if (!isObject(found)) throw new Error(`${folder}: only strategic merge patches are composed.`);
  return found;
};

const applyPatch = (manifests: Manifest[], change: JsonObject, { target }: Patch): Manifest[] => {
  const ownTarget = { kind: toText(change.kind), name: toText(objectAt(change, 'metadata').name) };
  const patchTarget = target ?? ownTarget;
  const isTarget = ({ kind, metadata }: Manifest): boolean =>
    kind === patchTarget.kind &&
    (patchTarget.name === undefined || metadata.name === patchTarget.name);
  if (!manifests.some(isTarget)) {
    throw new Error(
      `A patch is for ${patchTarget.kind} ${patchTarget.name ?? ''}, which is not there.`,
    );
  }
  if (change.$patch === 'delete') return manifests.filter((manifest) => !isTarget(manifest));
  return manifests.map((manifest) => {
    if (!isTarget(manifest)) return manifest;
    const { name } = manifest.metadata;
    const merged = mergePatch(manifest, change);
    return { ...merged, metadata: { ...objectAt(merged, 'metadata'), name } } as Manifest;
  });
};

const applyTransformers = (manifest: Manifest, kustomization: Kustomization): Manifest => {
  const { namespace, labels, images } = kustomization;
  const named = namespace === undefined ? manifest : toNamespace(manifest, namespace);
  return images.reduce(setImage, labels.reduce(addLabels, named));
};

const toNamespace = (manifest: Manifest, namespace: string): Manifest =>
  manifest.kind === 'Namespace'
    ? { ...manifest, metadata: { ...manifest.metadata, name: namespace } }
    : { ...manifest, metadata: { ...manifest.metadata, namespace } };

const addLabels = (manifest: Manifest, { pairs, includeTemplates }: Labels): Manifest => {
  const labelled = mergePatch(manifest, { metadata: { labels: pairs } }) as Manifest;
  if (!includeTemplates || !isObject(objectAt(labelled, 'spec').template)) return labelled;
  return mergePatch(labelled, { spec: { template: { metadata: { labels: pairs } } } }) as Manifest;
};

const setImage = (manifest: Manifest, image: Image): Manifest => {
  const containers = listAt(manifest, 'spec', 'template', 'spec', 'containers').map((one) => {
    const [name] = toText(one.image).split(/[:@]/);
    if (name !== image.name) return one;
    const { newName = name, newTag, digest } = image;
    const version = digest ? `@${digest}` : newTag ? `:${newTag}` : '';
    return { ...one, image: `${newName}${version}` };
  });
  if (containers.length === 0) return manifest;
  return mergePatch(manifest, { spec: { template: { spec: { containers } } } }) as Manifest;
};

/** Appends the hash to the names of generated ConfigMaps and updates all references. */
const addHashes = (manifests: Manifest[], generated: ReadonlySet<string>): Manifest[] => {
  const names = new Map(
    manifests
      .filter(({ kind, metadata }) => kind === 'ConfigMap' && generated.has(metadata.name))
      .map(({ metadata: { name }, data }) => [
        name,
        `${name}-${hashConfigMap(isObject(data) ? data : {})}`,
      ]),
  );
  return manifests.map((manifest) => {
    const renamed = updateReferences(manifest, names) as Manifest;
    const name = manifest.kind === 'ConfigMap' ? names.get(manifest.metadata.name) : undefined;
    return name ? { ...renamed, metadata: { ...renamed.metadata, name } } : renamed;
  });
};

const REFERENCES = new Set(['configMap', 'configMapRef', 'configMapKeyRef']);

const updateReferences = (value: Json, names: ReadonlyMap<string, string>): Json => {
  if (Array.isArray(value)) return value.map((entry) => updateReferences(entry, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      const next = updateReferences(inner, names);
      const isReference = REFERENCES.has(field) && isObject(next);
      const name = isReference ? names.get(toText(next.name)) : undefined;
      return [field, name && isObject(next) ? { ...next, name } : next];
    }),
  );
};

const LENGTH = 10;
const REPLACED: Readonly<Record<string, string>> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' };
const ESCAPED: Readonly<Record<string, string>> = {
  '<': String.raw`\u003c`,
  '>': String.raw`\u003e`,
  '&': String.raw`\u0026`,
  '\u2028': String.raw`\u2028`,
  '\u2029': String.raw`\u2029`,
};

/** Returns the name suffix that kustomize appends to a generated ConfigMap with this content. */
export const hashConfigMap = (data: JsonObject): string => {
  const sorted = Object.fromEntries(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  // kustomize hashes the object with an empty name.
  const text = JSON.stringify({ data: sorted, kind: 'ConfigMap', name: '' }).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => ESCAPED[character]!,
  );
  const hash = createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
  return [...hash].map((digit) => REPLACED[digit] ?? digit).join('');
};
