import { join } from 'node:path';
import { ADMIN_KUBECONFIG, FOLDERS, NODES } from './config.ts';
import { toNodeCommand } from './node/node-namespaces.ts';
import type { CommandOptions, CommandResult } from './run-command.ts';
import { runCommand, tryCommand } from './run-command.ts';

/** Runs kubectl in the first node's network; returns exit code and output. */
export const tryKubectl = async (
  args: readonly string[],
  options?: CommandOptions,
): Promise<CommandResult> => tryCommand(await toKubectl(args), options);

/** Runs kubectl in the first node's network and returns its output; throws unless it succeeds. */
export const kubectl = async (args: readonly string[], options?: CommandOptions): Promise<string> =>
  runCommand(await toKubectl(args), options);

const toKubectl = (args: readonly string[]): Promise<[string, ...string[]]> => {
  const program = join(FOLDERS.programs, 'kubectl');
  return toNodeCommand(NODES[0], [program, `--kubeconfig=${ADMIN_KUBECONFIG}`, ...args], ['--net']);
};

/** Returns the object or list that `kubectl get` prints. */
export const getObjects = async <T>(args: readonly string[]): Promise<T> =>
  JSON.parse(await kubectl(['get', ...args, '-o', 'json'])) as T;

/** Composes a folder; unlike `kubectl apply -k`, it may refer to files outside the folder. */
export const composeFolder = (folder: string): Promise<string> =>
  runCommand([
    join(FOLDERS.programs, 'kubectl'),
    'kustomize',
    '--load-restrictor=LoadRestrictionsNone',
    folder,
  ]);

export const applyText = (text: string): Promise<string> =>
  kubectl(['apply', '-f', '-'], { input: text });

/** Waits for a rollout of every Deployment of a namespace. */
export const awaitRollouts = async (namespace: string, limitMs: number): Promise<void> => {
  const list = await getObjects<{ items: { metadata: { name: string } }[] }>([
    'deployments',
    '-n',
    namespace,
  ]);
  for (const { metadata } of list.items) {
    const timeout = `--timeout=${Math.round(limitMs / 1_000)}s`;
    await kubectl(['-n', namespace, 'rollout', 'status', `deployment/${metadata.name}`, timeout]);
  }
};
