import { KUBERNETES_GUIDE, PROVIDED, textOf } from '../files.ts';
import type { Files } from '../files.ts';
import { isObject, textAt } from '../manifest.ts';
import type { Json } from '../manifest.ts';
import type { Rendered } from '../rendered.ts';

/**
 * Checks that all Secrets and ConfigMaps that an installation provides are used by an overlay and
 * documented.
 */
export const checkProvided = (overlays: readonly Rendered[], files: Files): string[] => {
  const { secrets, configMaps } = readProvided(files);
  const guide = textOf(files, KUBERNETES_GUIDE);
  const used = new Set(overlays.flatMap(({ manifests }) => manifests.flatMap(findKeyReferences)));
  return [...Object.entries(secrets), ...Object.entries(configMaps)].flatMap(([name, keys]) => [
    ...Object.keys(keys)
      .filter((key) => !used.has(`${name} ${key}`) && !used.has(name))
      .map((key) => `${PROVIDED} asks for ${name} ${key}, which no overlay uses.`),
    ...[name, ...Object.keys(keys)]
      .filter((word) => !guide.includes(`\`${word}\``))
      .map((word) => `${KUBERNETES_GUIDE} does not say what \`${word}\` is.`),
  ]);
};

const findKeyReferences = (value: Json): string[] => {
  if (Array.isArray(value)) return value.flatMap(findKeyReferences);
  if (!isObject(value)) return [];
  const inner = Object.values(value).flatMap(findKeyReferences);
  const name = textAt(value, 'secretName') || textAt(value, 'name');
  const { items } = value;
  if (Array.isArray(items))
    return [...inner, ...items.map((item) => `${name} ${textAt(item, 'key')}`)];
  const key = textAt(value, 'key');
  const isWhole = 'secretName' in value || Object.keys(value).join() === 'name';
  return [...inner, ...(key ? [`${name} ${key}`] : isWhole ? [name] : [])];
};

export type Provided = {
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

export const readProvided = (files: Files): Provided =>
  JSON.parse(textOf(files, PROVIDED)) as Provided;
