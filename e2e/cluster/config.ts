import { isAbsolute, join, normalize } from 'node:path';

/** Throws unless the folder is absolute and not `/`: folders in it are deleted. */
export const checkHome = (folder: string): string => {
  if (isAbsolute(folder) && join(folder, '/') !== '/') return normalize(folder);
  throw new Error(`WITAN_CLUSTER_HOME must be an absolute path other than /, not "${folder}".`);
};

/** Folder of programs, images and state; about 12 GB. */
const HOME = checkHome(process.env['WITAN_CLUSTER_HOME'] ?? '/var/lib/witan-cluster');

/** Set for the process that runs in the network of the cluster's first node. */
const INSIDE = 'WITAN_CLUSTER_INSIDE';

export const isInsideNetwork = (): boolean => process.env[INSIDE] === 'yes';

/** The environment of a program that is started in the network of the first node. */
export const createInsideEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  [INSIDE]: 'yes',
});

/** Returns this process's environment with other values for some variables. */
export const withVariables = (variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...variables,
});

export const FOLDERS = {
  home: HOME,
  programs: join(HOME, 'bin'),
  sources: join(HOME, 'src'),
  /** Root file system of the base image. */
  base: join(HOME, 'base'),
  images: join(HOME, 'images'),
  buildah: join(HOME, 'buildah'),
  bundles: join(HOME, 'bundles'),
  /** Configuration and keys of the running cluster. */
  settings: join(HOME, 'etc'),
  /** State and logs of the running cluster; deleted by `down`. */
  state: join(HOME, 'run'),
};

export const VERSIONS = {
  /** The release that tools/manifests validates against; the last that accepts containerd 1.x. */
  kubernetes: 'v1.35.4',
  coredns: 'v1.13.1',
  nats: 'v2.15.2',
  metricsServer: 'v0.9.0',
};

export type ClusterNode = { name: string; address: string; podCidr: string };

export const NODES: readonly [ClusterNode, ClusterNode] = [
  { name: 'node1', address: '172.30.0.11', podCidr: '10.244.0.0/24' },
  { name: 'node2', address: '172.30.0.12', podCidr: '10.244.1.0/24' },
];

export const NETWORK = {
  pods: '10.244.0.0/16',
  services: '10.96.0.0/16',
  /** Address of the Service `kubernetes`: the first of `services`. */
  api: '10.96.0.1',
  dns: '10.96.0.10',
  /** No machine has this address. With a default route, the kernel accepts Service addresses. */
  gateway: '172.30.0.1',
};

export const API_URL = `https://${NODES[0].address}:6443`;
export const ADMIN_KUBECONFIG = join(FOLDERS.settings, 'admin.conf');
