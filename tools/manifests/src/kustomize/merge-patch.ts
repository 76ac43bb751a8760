import { isObject } from '../manifest.ts';
import type { Json, JsonObject } from '../manifest.ts';

/**
 * Merge keys of lists, as in `x-kubernetes-patch-merge-key`. Lists without a merge key are
 * replaced.
 */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  volumes: 'name',
  ports: 'containerPort',
  volumeMounts: 'mountPath',
  topologySpreadConstraints: 'topologyKey',
};

/**
 * Returns the strategic merge: objects are merged by field, keyed lists by entry, other values are
 * replaced, and null deletes. New list entries are appended, unlike in kustomize, because the order
 * of keyed lists has no effect here.
 */
export const mergePatch = (value: JsonObject, patch: JsonObject): JsonObject => {
  const merged: JsonObject = { ...value };
  for (const [field, change] of Object.entries(patch)) {
    const next = mergeField(field, merged[field], change);
    if (next === undefined) delete merged[field];
    else merged[field] = next;
  }
  return merged;
};

const mergeField = (field: string, value: Json | undefined, change: Json): Json | undefined => {
  if (change === null) return undefined;
  if (isObject(change)) return mergePatch(isObject(value) ? value : {}, change);
  const key = MERGE_KEYS[field];
  if (!Array.isArray(change) || !Array.isArray(value) || key === undefined) return change;
  return mergeEntries(value, change, key);
};

const mergeEntries = (entries: Json[], changes: Json[], key: string): Json[] => {
  const merged = [...entries];
  for (const change of changes) {
    if (!isObject(change) || change[key] === undefined) {
      throw new Error(`A patched list has an entry without ${key}.`);
    }
    const index = merged.findIndex((entry) => isObject(entry) && entry[key] === change[key]);
    const current = merged[index];
    if (isObject(current)) merged[index] = mergePatch(current, change);
    else merged.push(mergePatch({}, change));
  }
  return merged;
};
