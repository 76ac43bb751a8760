import { at, isObject, listAt, objectAt, titleOf, toText } from '../manifest.ts';
import type { Json } from '../manifest.ts';
import { manifestsOfKind, selects } from '../rendered.ts';
import type { Rendered, Workload } from '../rendered.ts';

/**
 * Checks that each Service and PodDisruptionBudget selects exactly one workload, and that workloads
 * and their spread constraints select their own pods.
 */
export const checkSelectors = (rendered: Rendered): string[] => [
  ...rendered.workloads.flatMap(checkOwn),
  ...checkSpread(rendered),
  ...manifestsOfKind(rendered, 'Service').flatMap((service) => {
    const labels = objectAt(service, 'spec', 'selector');
    return checkMatches(rendered, titleOf(service), { matchLabels: labels });
  }),
  ...manifestsOfKind(rendered, 'PodDisruptionBudget').flatMap((budget) =>
    checkMatches(rendered, titleOf(budget), objectAt(budget, 'spec', 'selector')),
  ),
];

const checkOwn = ({ manifest, title, labels }: Workload): string[] => {
  const selector = at(manifest, 'spec', 'selector');
  // Kubernetes generates the selector of a Job, so the manifest must not have one.
  if (manifest.kind === 'Job') return selector ? [`${title} has a selector of its own.`] : [];
  if (isObject(selector) && selects(selector, labels)) return [];
  return [`${title} does not select its own pods.`];
};

const checkSpread = ({ workloads }: Rendered): string[] =>
  workloads.flatMap(({ title, pod, labels }) =>
    listAt(pod, 'topologySpreadConstraints')
      .filter(
        (one) =>
          !isObject(one.labelSelector) ||
          !selects(one.labelSelector, labels) ||
          !asTexts(one.matchLabelKeys).every((key) => key === 'pod-template-hash' || key in labels),
      )
      .map((one) => `${title} is spread over ${toText(one.topologyKey)} by labels of other pods.`),
  );

const asTexts = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.map(toText) : [];

const checkMatches = (
  { workloads }: Rendered,
  title: string,
  selector: ReturnType<typeof objectAt>,
): string[] => {
  const taken = workloads.filter(({ labels }) => selects(selector, labels));
  if (taken.length === 1) return [];
  const found = taken.map((workload) => workload.title).join(', ') || 'no pods';
  return [`${title} selects ${found}; it must be one workload.`];
};
