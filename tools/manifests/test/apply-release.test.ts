import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { overlaysOf } from '../src/check-manifests.ts';
import { readFiles, textOf } from '../src/files.ts';
import { compose } from '../src/kustomize/compose.ts';
import { objectAt, titleOf } from '../src/manifest.ts';
import type { Json, Manifest } from '../src/manifest.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const GUIDE = 'docs/kubernetes.md';
const { files, folders } = overlaysOf(readFiles(ROOT, []));

/**
 * Returns the label selectors of the release commands in the guide, with each service in place of
 * `$service`.
 */
const readSelectors = (): string[] => {
  const guide = textOf(files, GUIDE);
  const [, services = ''] = /for service in (.+); do/.exec(guide) ?? [];
  return [...guide.matchAll(/kubectl apply -f release\.yaml -l (\S+)/g)]
    .map(([, selector]) => selector!.replaceAll("'", ''))
    .flatMap((selector) =>
      selector.includes('$service')
        ? services.split(' ').map((service) => selector.replace('$service', service))
        : [selector],
    );
};

/** Returns true if a manifest has the labels of a selector such as `a=b`, `a!=b` or `!a,b=c`. */
const isSelected = (manifest: Manifest, selector: string): boolean => {
  const labels = objectAt(manifest, 'metadata', 'labels');
  return selector.split(',').every((requirement) => {
    const [, absent, key = '', operator, value] = /^(!?)([^!=]+)(!?=)?(.*)$/.exec(requirement)!;
    if (operator === undefined) return key in labels !== (absent === '!');
    return (labels[key] === value) === (operator === '=');
  });
};

const findEmptyLists = (value: Json, path: string): string[] => {
  if (Array.isArray(value) && value.length === 0) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => findEmptyLists(inner, `${path}.${key}`));
};

describe.each(folders)('applying %s', (folder) => {
  const manifests = compose(files, folder);

  it('applies each object once with the commands of the guide', () => {
    const selectors = readSelectors();
    expect(selectors).toHaveLength(8);
    const counts = manifests.map((manifest) => [
      titleOf(manifest),
      selectors.filter((selector) => isSelected(manifest, selector)).length,
    ]);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
  });

  it('sends no empty list, which the API server would drop and report as a change', () => {
    expect(manifests.flatMap((one) => findEmptyLists(one, titleOf(one)))).toEqual([]);
  });
});
