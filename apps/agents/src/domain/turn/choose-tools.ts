import { invalidRequest } from '@witan/contracts';
import type { FindLinkedTools, TurnTool } from '../tool/tool.ts';

/** The tools of a turn: the named ones among those linked to the agent, or all. */
export type ToolWish = { areOffered: boolean; ids: readonly string[] };

/** Throws INVALID_REQUEST for a tool that is not linked, even if no tools are offered. */
export const chooseTools = (
  linked: Awaited<ReturnType<FindLinkedTools>>,
  { areOffered, ids }: ToolWish,
): TurnTool[] => {
  const unknown = ids.findIndex((wanted) => !linked.some(({ id }) => id === wanted));
  if (unknown >= 0) {
    const param = `tools.toolIds[${unknown}]`;
    throw invalidRequest(`${param} is not a tool that is linked to this agent.`, { param });
  }
  if (!areOffered) return [];
  return linked.filter(({ id, isActive }) => isActive && (ids.length === 0 || ids.includes(id)));
};
