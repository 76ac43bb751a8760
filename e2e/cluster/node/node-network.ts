import type { ClusterNode } from '../config.ts';
import { NETWORK, NODES } from '../config.ts';
import { runCommand } from '../run-command.ts';
import { findFirstProcess, toNodeCommand } from './node-namespaces.ts';

const INTERFACE = 'eth0';

/**
 * Joins both nodes by a pair of virtual interfaces, and routes the pods of each by its address. No
 * interface leads out of the machine, and none exists in its own network.
 */
export const connectNodes = async (): Promise<void> => {
  const [first, second] = NODES;
  const peer = String(await findFirstProcess(second));
  const pair = ['type', 'veth', 'peer', 'name', INTERFACE, 'netns', peer];
  await runIp(first, ['link', 'add', INTERFACE, ...pair]);
  for (const [node, other] of [
    [first, second],
    [second, first],
  ] as const) {
    await runIp(node, ['address', 'add', `${node.address}/24`, 'dev', INTERFACE]);
    await runIp(node, ['link', 'set', INTERFACE, 'up']);
    await runIp(node, ['route', 'add', other.podCidr, 'via', other.address]);
  }
  for (const node of NODES) await runIp(node, ['route', 'add', 'default', 'via', NETWORK.gateway]);
};

/** Only the network is the node's, so that `netns` finds the process id of this machine. */
const runIp = async (node: ClusterNode, args: readonly string[]): Promise<void> => {
  await runCommand(await toNodeCommand(node, ['ip', ...args], ['--net']));
};
