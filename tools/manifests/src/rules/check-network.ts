import { isDeepStrictEqual } from 'node:util';
import { at, listAt, objectAt, titleOf, toText } from '../manifest.ts';
import type { Json, JsonObject, Manifest } from '../manifest.ts';
import { makeNetworkPolicies } from '../network-policies.ts';
import type { CallGraph } from '../network-policies.ts';
import { manifestsOfKind, selects } from '../rendered.ts';
import type { Rendered, Workload } from '../rendered.ts';

/**
 * Servers outside the call graph whose port an overlay may open. `variable` matches the names of
 * the variables that contain their URL.
 */
const EXTERNAL_SERVERS = [
  { name: 'Postgres', port: 5432, variable: /DATABASE_URL$/ },
  { name: 'the broker', port: 4222, variable: /^NATS_URL$/ },
  { name: 'the collector', port: 4318, variable: /^OTEL_EXPORTER_OTLP_ENDPOINT$/ },
];

/**
 * Checks that the manifests contain the policies generated from the call graph, that other policies
 * open only ports of external servers or repeat a generated rule, and that a workload can reach
 * such a server if and only if it has a variable with the server's URL.
 */
export const checkNetwork = (rendered: Rendered, graph: CallGraph): string[] => {
  const policies = manifestsOfKind(rendered, 'NetworkPolicy');
  const generated = makeNetworkPolicies(graph);
  const additional = policies.filter(
    (one) => !generated.some((other) => titleOf(other) === titleOf(one)),
  );
  return [
    ...generated.flatMap((policy) => {
      const found = policies.find((one) => titleOf(one) === titleOf(policy));
      if (!found) return [`${titleOf(policy)} is missing.`];
      if (isDeepStrictEqual(found.spec, policy.spec)) return [];
      return [`${titleOf(policy)} is not what deploy/call-graph.json makes of it; run --write.`];
    }),
    ...additional.flatMap((policy) => checkAdditional(rendered, policy, generated)),
    ...rendered.workloads.flatMap((workload) => checkExternalServers(rendered, policies, workload)),
  ];
};

const rulesOf = (policy: Manifest): JsonObject[] => [
  ...listAt(policy, 'spec', 'egress'),
  ...listAt(policy, 'spec', 'ingress'),
];

const checkAdditional = (
  { workloads }: Rendered,
  policy: Manifest,
  generated: readonly Manifest[],
): string[] => {
  const title = titleOf(policy);
  const known = generated.flatMap(rulesOf);
  const rules = rulesOf(policy).filter(
    (rule) => !known.some((other) => isDeepStrictEqual(rule, other)),
  );
  const ports = rules.flatMap((rule) => listAt(rule, 'ports'));
  const isOpen = rules.some((rule) => peersOf(rule).length === 0 || !rule.ports);
  const selector = at(policy, 'spec', 'podSelector');
  const peers = rules.flatMap(peersOf).filter((peer) => !peer.namespaceSelector && !peer.ipBlock);
  return [
    ...(isOpen ? [`${title} has a rule without peers or ports.`] : []),
    ...ports
      .filter(({ port }) => !EXTERNAL_SERVERS.some((server) => server.port === port))
      .map(({ port }) => `${title} opens port ${toText(port)}, of no known server.`),
    ...[selector, ...peers.map(({ podSelector }) => podSelector)]
      .filter((one) => !workloads.some(({ labels }) => selects(one, labels)))
      .map((one) => `${title} selects no pods by ${JSON.stringify(one)}.`),
    ...namesIn(
      rules
        .flatMap(peersOf)
        .map(({ podSelector }) => podSelector)
        .concat(selector),
    )
      .filter((name) => !workloads.some((workload) => workload.name === name))
      .map((name) => `${title} names ${name}, not there.`),
  ];
};

const namesIn = (selectors: readonly (Json | undefined)[]): string[] =>
  selectors
    .flatMap((selector) => listAt(selector, 'matchExpressions'))
    .filter(({ key }) => key === 'app.kubernetes.io/name')
    .flatMap(({ values }) => (Array.isArray(values) ? values.map(toText) : []));

const peersOf = (rule: JsonObject): JsonObject[] => [
  ...listAt(rule, 'to'),
  ...listAt(rule, 'from'),
];

const checkExternalServers = (
  { workloads }: Rendered,
  policies: readonly Manifest[],
  workload: Workload,
): string[] => {
  const names = workload.containers
    .flatMap((container) => listAt(container, 'env'))
    .map(({ name }) => toText(name));
  const { title, labels } = workload;
  return EXTERNAL_SERVERS.flatMap(({ name: server, port, variable }) => {
    const isClient = names.some((name) => variable.test(name));
    const rules = policies
      .filter((policy) => selects(at(policy, 'spec', 'podSelector'), labels))
      .flatMap((policy) => listAt(policy, 'spec', 'egress'))
      .filter((rule) => listAt(rule, 'ports').some((one) => one.port === port));
    if (isClient !== rules.length > 0) {
      return [`${title} ${isClient ? 'cannot' : 'may'} reach ${server}; its variables differ.`];
    }
    const reachable = workloads.filter((other) =>
      rules.flatMap(peersOf).some((peer) => isPod(peer) && selects(peer.podSelector, other.labels)),
    );
    return reachable
      .filter((other) => !admits(policies, { other, labels, port }))
      .map((other) => `${other.title} does not let ${title} in.`);
  });
};

const isPod = (peer: JsonObject): boolean =>
  peer.podSelector !== undefined && peer.namespaceSelector === undefined;

const admits = (
  policies: readonly Manifest[],
  { other, labels, port }: { other: Workload; labels: JsonObject; port: number },
): boolean =>
  policies
    .filter((policy) => selects(objectAt(policy, 'spec', 'podSelector'), other.labels))
    .flatMap((policy) => listAt(policy, 'spec', 'ingress'))
    .filter((rule) => listAt(rule, 'ports').some((one) => one.port === port))
    .some((rule) => peersOf(rule).some((peer) => selects(peer.podSelector, labels)));
