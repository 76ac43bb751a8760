import { join } from 'node:path';
import { FOLDERS, NETWORK, NODES } from '../config.ts';
import { AUTHORITY, kubeconfigOf, PKI } from './certificates.ts';
import { stateOf } from './node-namespaces.ts';
import type { Daemon } from './node-namespaces.ts';

const NODE = NODES[0];
const ETCD = 'http://127.0.0.1:2379';
const ETCD_PEER = 'http://127.0.0.1:2380';

/** Returns the options of a program: `--name=value` for each member. */
export const toOptions = (options: Readonly<Record<string, string | boolean>>): string[] =>
  Object.entries(options).map(([name, value]) => `--${name}=${value}`);

const program = (name: string, options: Readonly<Record<string, string | boolean>>): Daemon => ({
  name,
  command: [join(FOLDERS.programs, name), ...toOptions(options)],
});

const keyOf = (name: string): string => join(PKI, `${name}.key`);
const certificateOf = (name: string): string => join(PKI, `${name}.crt`);

export const ETCD_DAEMON: Daemon = {
  name: 'etcd',
  command: [
    'etcd',
    ...toOptions({
      'data-dir': join(stateOf(NODE), 'etcd'),
      'listen-client-urls': ETCD,
      'advertise-client-urls': ETCD,
      'listen-peer-urls': ETCD_PEER,
      'initial-advertise-peer-urls': ETCD_PEER,
      'initial-cluster': `default=${ETCD_PEER}`,
    }),
  ],
};

const ISSUER = 'https://kubernetes.default.svc.cluster.local';

export const API_SERVER: Daemon = program('kube-apiserver', {
  'etcd-servers': ETCD,
  'advertise-address': NODE.address,
  'secure-port': '6443',
  'service-cluster-ip-range': NETWORK.services,
  'allow-privileged': true,
  'client-ca-file': AUTHORITY,
  'tls-cert-file': certificateOf('apiserver'),
  'tls-private-key-file': keyOf('apiserver'),
  'kubelet-client-certificate': certificateOf('kubelet-client'),
  'kubelet-client-key': keyOf('kubelet-client'),
  'kubelet-certificate-authority': AUTHORITY,
  // There is no DNS for names of nodes.
  'kubelet-preferred-address-types': 'InternalIP',
  'service-account-issuer': ISSUER,
  'service-account-key-file': join(PKI, 'sa.pub'),
  'service-account-signing-key-file': keyOf('sa'),
  'authorization-mode': 'Node,RBAC',
  'enable-admission-plugins': 'NodeRestriction',
  'anonymous-auth': false,
  // For metrics-server, which the API server calls in the client's name.
  'requestheader-client-ca-file': AUTHORITY,
  'requestheader-allowed-names': 'front-proxy',
  'requestheader-username-headers': 'X-Remote-User',
  'requestheader-group-headers': 'X-Remote-Group',
  'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
  'proxy-client-cert-file': certificateOf('front-proxy'),
  'proxy-client-key-file': keyOf('front-proxy'),
  'enable-aggregator-routing': true,
  profiling: false,
});

const clientOptions = (user: string): Record<string, string | boolean> => ({
  kubeconfig: kubeconfigOf(user),
  'authentication-kubeconfig': kubeconfigOf(user),
  'authorization-kubeconfig': kubeconfigOf(user),
  'bind-address': '127.0.0.1',
  'leader-elect': false,
});

/** The programs that need a ready API server. */
export const CONTROLLERS: readonly Daemon[] = [
  program('kube-controller-manager', {
    ...clientOptions('controller-manager'),
    'use-service-account-credentials': true,
    'service-account-private-key-file': keyOf('sa'),
    'root-ca-file': AUTHORITY,
    'cluster-signing-cert-file': AUTHORITY,
    'cluster-signing-key-file': keyOf('ca'),
    // Each node's CNI settings contain its addresses.
    'allocate-node-cidrs': false,
    'service-cluster-ip-range': NETWORK.services,
  }),
  program('kube-scheduler', clientOptions('scheduler')),
];
