import { Badge } from '../../../ui/page-state.tsx';
import type { ListedTool } from './tools-query.ts';

type ToolStateProps = { tool: Pick<ListedTool, 'isActive' | 'mcpServerId'> };

/** Whether agents are offered the tool; one of an MCP server only as it was accepted. */
export const ToolState = ({ tool: { isActive, mcpServerId } }: ToolStateProps) => {
  if (!isActive) return <Badge>Off</Badge>;
  return mcpServerId ? <Badge tone="info">If accepted</Badge> : <Badge tone="good">Active</Badge>;
};
