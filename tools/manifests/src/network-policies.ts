import { stringify } from 'yaml';
import type { JsonObject, Manifest } from './manifest.ts';

/**
 * The services that each service calls, with the RPCs. Policies ignore the RPCs, which the services
 * restrict themselves.
 */
export type CallGraph = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export const POLICIES = 'deploy/k8s/base/network-policies.yaml';

const API_GATEWAY = 'api-gateway';
const HTTP_PORT = 8080;
const GRPC_PORT = 50_051;
const ADMIN_PORT = 9090;
const INTERNET_CLIENTS = ['llm-gateway', 'notifier', 'agents'];
const HTTPS_PORT = 443;
/** Private and reserved address ranges, excluded from internet access. */
const NON_PUBLIC_RANGES = {
  '0.0.0.0/0': [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.168.0.0/16',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  '::/0': ['::1/128', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
};
const SYSTEM_NAMESPACE = 'kube-system';
const DNS_PORT = 53;
const MONITORING_NAMESPACE = 'monitoring';

/**
 * Returns policies that deny all traffic except what the call graph permits, in both directions,
 * plus DNS, the public port, monitoring, and internet access for the services that need it.
 * Policies for Postgres and the broker are in the overlays.
 */
export const makeNetworkPolicies = (graph: CallGraph): Manifest[] => [
  policy('default-deny', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
  policy('dns', {
    podSelector: {},
    policyTypes: ['Egress'],
    egress: [
      {
        to: [
          {
            namespaceSelector: namespaceNamed(SYSTEM_NAMESPACE),
            podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
          },
        ],
        ports: [
          { protocol: 'UDP', port: DNS_PORT },
          { protocol: 'TCP', port: DNS_PORT },
        ],
      },
    ],
  }),
  ...Object.keys(graph).map((service) =>
    policy(service, {
      podSelector: podsOf(service),
      policyTypes: ['Ingress', 'Egress'],
      ingress: ingressOf(graph, service),
      ...withoutEmpty({ egress: egressOf(graph, service) }),
    }),
  ),
];

/**
 * Omits an empty list, which means the same: all traffic of a type in `policyTypes` is denied. The
 * API server drops empty lists, so `kubectl apply` would report a change at each run.
 */
const withoutEmpty = (lists: Record<string, JsonObject[]>): JsonObject =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));

export const writeNetworkPolicies = (graph: CallGraph): string =>
  [
    '# Generated from deploy/call-graph.json by `node tools/manifests/src/main.ts --write`.',
    '# npm run check fails when the two differ.',
    ...makeNetworkPolicies(graph).map((manifest) => `---\n${stringify(manifest)}`),
  ]
    .join('\n')
    .replace('\n---', '');

const policy = (name: string, spec: JsonObject): Manifest => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name },
  spec,
});

const podsOf = (service: string): JsonObject => ({
  matchLabels: { 'app.kubernetes.io/name': service },
});

const namespaceNamed = (name: string): JsonObject => ({
  matchLabels: { 'kubernetes.io/metadata.name': name },
});

const tcp = (port: number): JsonObject => ({ protocol: 'TCP', port });

const ingressOf = (graph: CallGraph, service: string): JsonObject[] => {
  const callers = Object.keys(graph).filter((caller) => service in graph[caller]!);
  const monitoring = { namespaceSelector: namespaceNamed(MONITORING_NAMESPACE) };
  return [
    // There is no `from`, because any client may connect; the api-gateway authenticates each
    // client.
    ...(service === API_GATEWAY ? [{ ports: [tcp(HTTP_PORT)] }] : []),
    ...(callers.length > 0
      ? [
          {
            from: callers.map((caller) => ({ podSelector: podsOf(caller) })),
            ports: [tcp(GRPC_PORT)],
          },
        ]
      : []),
    { from: [monitoring], ports: [tcp(ADMIN_PORT)] },
  ];
};

const egressOf = (graph: CallGraph, service: string): JsonObject[] => {
  const callees = Object.keys(graph[service]!);
  const internet = Object.entries(NON_PUBLIC_RANGES).map(([cidr, except]) => ({
    ipBlock: { cidr, except },
  }));
  return [
    ...(callees.length > 0
      ? [
          {
            to: callees.map((callee) => ({ podSelector: podsOf(callee) })),
            ports: [tcp(GRPC_PORT)],
          },
        ]
      : []),
    ...(INTERNET_CLIENTS.includes(service) ? [{ to: internet, ports: [tcp(HTTPS_PORT)] }] : []),
  ];
};
