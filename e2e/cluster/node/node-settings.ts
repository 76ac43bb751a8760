import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterNode } from '../config.ts';
import { FOLDERS, NETWORK } from '../config.ts';
import { PAUSE_IMAGE } from '../image/support-images.ts';
import { AUTHORITY, kubeconfigOf, PKI } from './certificates.ts';
import { cgroupOf, hasUnifiedCgroups } from './cgroups.ts';
import { stateOf, toNodeCommand } from './node-namespaces.ts';
import type { Daemon } from './node-namespaces.ts';

/** Paths of what a node's programs read. */
export type NodeSettings = Record<'containerd' | 'kubelet' | 'proxy' | 'resolvConf', string>;

/** What of this machine changes the settings. */
export type Machine = {
  /** Only the unified hierarchy of cgroups is mounted. */
  isUnified: boolean;
  /** Root may lower the OOM score of a process (CAP_SYS_RESOURCE). */
  mayLowerOomScore: boolean;
};

const CAP_SYS_RESOURCE = 24n;

export const readMachine = async (): Promise<Machine> => {
  const status = await readFile('/proc/self/status', 'utf8');
  const effective = BigInt(`0x${/^CapEff:\s*(\w+)$/m.exec(status)![1]}`);
  return {
    isUnified: hasUnifiedCgroups(),
    mayLowerOomScore: ((effective >> CAP_SYS_RESOURCE) & 1n) === 1n,
  };
};

export const socketOf = (node: ClusterNode): string => join(stateOf(node), 'containerd.sock');

/** Writes the settings of a node's programs. */
export const writeNodeSettings = async (
  node: ClusterNode,
  machine: Machine,
): Promise<NodeSettings> => {
  const folder = join(FOLDERS.settings, node.name);
  const cni = join(folder, 'cni');
  await mkdir(cni, { recursive: true });
  const paths: NodeSettings = {
    containerd: join(folder, 'containerd.toml'),
    kubelet: join(folder, 'kubelet.yaml'),
    proxy: join(folder, 'kube-proxy.yaml'),
    resolvConf: join(folder, 'resolv.conf'),
  };
  await writeFile(join(cni, '10-bridge.conflist'), JSON.stringify(toCniSettings(node)));
  await writeFile(paths.resolvConf, '# No server outside the cluster is asked.\n');
  await writeFile(paths.containerd, toContainerdSettings(node, machine, cni));
  const kubelet = toKubeletSettings(node, machine, paths.resolvConf);
  await writeFile(paths.kubelet, JSON.stringify(kubelet));
  await writeFile(paths.proxy, JSON.stringify(toProxySettings(node)));
  return paths;
};

/** Pods keep their address on their way to the other node, so nothing is masqueraded. */
const toCniSettings = (node: ClusterNode): object => ({
  cniVersion: '0.4.0',
  name: 'cluster',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      ipMasq: false,
      hairpinMode: true,
      ipam: {
        type: 'host-local',
        dataDir: join(stateOf(node), 'cni'),
        ranges: [[{ subnet: node.podCidr }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
});

const toContainerdSettings = (node: ClusterNode, machine: Machine, cni: string): string => `
version = 2
root = "${stateOf(node)}/containerd/root"
state = "${stateOf(node)}/containerd/state"
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.internal.v1.opt",
]
[grpc]
  address = "${socketOf(node)}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  netns_mounts_under_state_dir = true
  disable_apparmor = true
  restrict_oom_score_adj = ${!machine.mayLowerOomScore}
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${cni}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
`;

const toKubeletSettings = (node: ClusterNode, machine: Machine, resolvConf: string): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  // Kubernetes 1.35 refuses cgroups v1 unless this is set.
  failCgroupV1: machine.isUnified,
  cgroupDriver: 'cgroupfs',
  cgroupRoot: cgroupOf(node),
  failSwapOn: false,
  containerRuntimeEndpoint: `unix://${socketOf(node)}`,
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: AUTHORITY },
  },
  authorization: { mode: 'Webhook' },
  tlsCertFile: join(PKI, `${node.name}.crt`),
  tlsPrivateKeyFile: join(PKI, `${node.name}.key`),
  clusterDNS: [NETWORK.dns],
  clusterDomain: 'cluster.local',
  resolvConf,
  // Images are imported once and cannot be pulled again.
  imageGCHighThresholdPercent: 100,
  evictionHard: {
    'memory.available': '200Mi',
    'nodefs.available': '1%',
    'imagefs.available': '1%',
    'nodefs.inodesFree': '1%',
  },
  maxPods: 60,
});

const toProxySettings = (node: ClusterNode): object => ({
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  clientConnection: { kubeconfig: kubeconfigOf('proxy') },
  mode: 'iptables',
  clusterCIDR: NETWORK.pods,
  hostnameOverride: node.name,
  // The limits of connection tracking are those of the whole machine.
  conntrack: { maxPerCore: 0, min: 0 },
});

/** Returns the programs of a node; the first must run before the others start. */
export const toNodeDaemons = (node: ClusterNode, settings: NodeSettings): readonly Daemon[] => [
  { name: 'containerd', command: ['containerd', '--config', settings.containerd] },
  {
    name: 'kubelet',
    command: [
      join(FOLDERS.programs, 'kubelet'),
      `--config=${settings.kubelet}`,
      `--kubeconfig=${kubeconfigOf(node.name)}`,
      `--hostname-override=${node.name}`,
      `--node-ip=${node.address}`,
    ],
  },
  {
    name: 'kube-proxy',
    command: [join(FOLDERS.programs, 'kube-proxy'), `--config=${settings.proxy}`],
  },
];

/** Returns a command of containerd's client in the node, for the images of the kubelet. */
export const toImageCommand = (
  node: ClusterNode,
  args: readonly string[],
): Promise<[string, ...string[]]> =>
  toNodeCommand(node, ['ctr', '--address', socketOf(node), '--namespace', 'k8s.io', ...args]);
