import { invalidRequest } from '@witan/contracts';
import type { FindLinkedTools, TurnTool } from '../tool/tool.ts';

/** Tools offered in a turn; empty `ids` select all tools linked to the agent. */
export type ToolSelection = { areOffered: boolean; ids: readonly string[] };

export const chooseTools = (
  linked: Awaited<ReturnType<FindLinkedTools>>,
  { areOffered, ids }: ToolSelection,
): TurnTool[] => {
  const unknown = ids.findIndex((toolId) => !linked.some(({ id }) => id === toolId));
  if (unknown >= 0) {
    const param = `tools.toolIds[${unknown}]`;
    throw invalidRequest(`${param} is not a tool that is linked to this agent.`, { param });
  }
  if (!areOffered) return [];
  return linked.filter(({ id, isActive }) => isActive && (ids.length === 0 || ids.includes(id)));
};
