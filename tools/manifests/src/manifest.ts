export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export type Manifest = JsonObject & {
  apiVersion: string;
  kind: string;
  metadata: JsonObject & { name: string };
};

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isManifest = (value: Json | undefined): value is Manifest =>
  isObject(value) &&
  typeof value.apiVersion === 'string' &&
  typeof value.kind === 'string' &&
  isObject(value.metadata) &&
  typeof value.metadata.name === 'string';

export const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined => {
  let found = value;
  for (const field of path) found = isObject(found) ? found[field] : undefined;
  return found;
};

export const objectAt = (value: Json | undefined, ...path: readonly string[]): JsonObject => {
  const found = at(value, ...path);
  return isObject(found) ? found : {};
};

export const listAt = (value: Json | undefined, ...path: readonly string[]): JsonObject[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isObject) : [];
};

export const textAt = (value: Json | undefined, ...path: readonly string[]): string => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
};

export const titleOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

export const toText = (value: Json | undefined): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
