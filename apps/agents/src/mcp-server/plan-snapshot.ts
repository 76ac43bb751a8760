import { createHash } from 'node:crypto';
import { canonicalJson } from '@witan/proof';
import type { ToolDefinition } from '../tool/mcp-target.ts';
import { toAgentName } from './agent-name.ts';
import type { ListedTool, McpTool, ServerChange } from './mcp-server.ts';

/** A listed tool, and the reason if it cannot be used. */
export type ReadTool = ListedTool & { problem: string };

type NewTools = {
  serverName: string;
  /** Names of the other tools of the workspace. */
  taken: ReadonlySet<string>;
  newId: (prefix: string) => string;
};

/** Returns the hash of what a server lists, whatever the order of its tools. */
export const hashSnapshot = (tools: readonly ListedTool[]): string => {
  const definitions = tools
    .map((tool) => ({ name: tool.name, ...definitionOf(tool) }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return createHash('sha256').update(canonicalJson(definitions)).digest('hex');
};

/** Returns the tools of a new server: what it lists is accepted with its registration. */
export const planNewTools = (listed: readonly ReadTool[], options: NewTools): McpTool[] => {
  const toNewTool = createToNewTool([], options);
  return listed.map((tool) => ({
    ...toNewTool(tool),
    ...(tool.problem === '' && { state: 'accepted', accepted: definitionOf(tool) }),
  }));
};

type Snapshot = { tools: McpTool[]; change: ServerChange };

/**
 * Returns the tools of a server after it listed them again, and what differs from its last list. A
 * definition that differs from the accepted one is not offered, and one that is accepted again is.
 */
export const planSnapshot = (
  current: readonly McpTool[],
  listed: readonly ReadTool[],
  options: NewTools,
): Snapshot => {
  const toNewTool = createToNewTool(current, options);
  const byName = new Map(current.map((tool) => [tool.mcpName, tool]));
  const names = new Set(listed.map(({ name }) => name));
  const present = listed.map((tool) => {
    const known = byName.get(tool.name);
    return known ? relist(known, tool) : toNewTool(tool);
  });
  const gone = current.filter(({ mcpName }) => !names.has(mcpName));
  const removed = gone
    .filter(({ accepted }) => accepted !== undefined)
    .map((tool): McpTool => ({ ...tool, state: 'removed', listed: undefined, problem: '' }));
  const agentNames = (tools: readonly McpTool[]): string[] =>
    tools.map(({ name }) => name).toSorted();
  return {
    tools: [...present, ...removed],
    change: {
      added: agentNames(present.filter(({ mcpName }) => !byName.get(mcpName)?.listed)),
      changed: agentNames(
        present.filter(({ mcpName, listed: definition }) => {
          const before = byName.get(mcpName)?.listed;
          return before !== undefined && !isSame(before, definition);
        }),
      ),
      removed: agentNames(gone.filter((tool) => tool.listed !== undefined)),
    },
  };
};

/** Returns the tools after what the server lists was accepted. */
export const planAcceptance = (current: readonly McpTool[]): McpTool[] =>
  current
    .filter(({ listed }) => listed !== undefined)
    .map((tool) =>
      tool.state === 'unusable' ? tool : { ...tool, state: 'accepted', accepted: tool.listed },
    );

export const hasChange = ({ added, changed, removed }: ServerChange): boolean =>
  added.length + changed.length + removed.length > 0;

/** Returns a function that creates tools, whose names differ from those of all others. */
const createToNewTool = (
  current: readonly McpTool[],
  { serverName, taken: takenByOthers, newId }: NewTools,
) => {
  const taken = new Set([...takenByOthers, ...current.map(({ name }) => name)]);
  return (tool: ReadTool): McpTool => {
    const name = toAgentName({ serverName, toolName: tool.name }, taken);
    taken.add(name);
    return {
      id: newId('tol'),
      name,
      mcpName: tool.name,
      state: tool.problem === '' ? 'added' : 'unusable',
      accepted: undefined,
      listed: definitionOf(tool),
      problem: tool.problem,
    };
  };
};

const relist = (known: McpTool, tool: ReadTool): McpTool => {
  const { problem } = tool;
  const listed = definitionOf(tool);
  const state = isSame(known.accepted, listed) ? 'accepted' : known.accepted ? 'changed' : 'added';
  return { ...known, listed, problem, state: problem === '' ? state : 'unusable' };
};

const definitionOf = ({ description, parameters, headerParams }: ListedTool): ToolDefinition => ({
  description,
  parameters,
  headerParams,
});

const isSame = (one: ToolDefinition | undefined, other: ToolDefinition | undefined): boolean =>
  canonicalJson(one ?? null) === canonicalJson(other ?? null);
