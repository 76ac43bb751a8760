import { VERSIONS } from '../config.ts';
import { getObjects, kubectl } from '../kubectl.ts';
import { readPackageVersions } from '../program/install-packages.ts';
import { runCommand } from '../run-command.ts';

type Node = { status: { nodeInfo: Record<string, string> } };

/** Returns the versions of everything that the suite ran on. */
export const readVersions = async (): Promise<object> => {
  const version = JSON.parse(await kubectl(['version', '-o', 'json'])) as Record<
    string,
    { gitVersion: string }
  >;
  const { items } = await getObjects<{ items: Node[] }>(['nodes']);
  const { kubeletVersion, containerRuntimeVersion, osImage } = items[0]!.status.nodeInfo;
  return {
    kubernetes: version.serverVersion?.gitVersion,
    kubectl: version.clientVersion?.gitVersion,
    kubelet: kubeletVersion,
    containerRuntime: containerRuntimeVersion,
    nodes: items.length,
    coredns: VERSIONS.coredns,
    nats: VERSIONS.nats,
    metricsServer: VERSIONS.metricsServer,
    postgres: '18.4',
    os: osImage,
    go: (await runCommand(['go', 'env', 'GOVERSION'])).trim(),
    packages: await readPackageVersions(),
  };
};
