import type { JsonSchema } from '../http/route.ts';
import { TOKEN_USAGE } from '../resources/agent-chat/agent-chat-schema.ts';
import { AGENT } from '../resources/agents/agent-schema.ts';
import { CONTEXT_ITEMS } from '../resources/agent-chat/context-item.ts';
import { CONVERSATION } from '../resources/conversations/conversation-schema.ts';
import { DOCUMENTED_ERROR } from '../errors/error-schema.ts';
import { EXTRACTED } from '../resources/extracted-data/extracted-data-schema.ts';
import { DOCUMENT, SOURCE } from '../resources/knowledge/knowledge-schema.ts';
import { MARKET_ANALYSIS_REQUEST } from '../resources/market-analyses/market-analysis-schema.ts';
import { BUNDLE, CERTIFICATE, PUBLIC_KEY, VERIFICATION } from '../resources/proofs/proof-schema.ts';
import { SCENARIO, scenario } from '../resources/simulations/scenario-schema.ts';
import { REPORT, STATES } from '../resources/simulations/simulation-schema.ts';
import {
  TOOL,
  TOOL_CHANGE,
  TOOL_RUN,
  TOOL_WITH_SECRET,
  TOOLS,
} from '../resources/tools/tool-schema.ts';
import { MCP_SERVER } from '../resources/tools/mcp-server-schema.ts';
import { MCP_RESPONSE } from '../mcp/mcp-schema.ts';
import {
  DELIVERY,
  WEBHOOK,
  WEBHOOK_CHANGE,
  WEBHOOK_WITH_SECRET,
} from '../resources/webhooks/webhook-schema.ts';
import { WORKSPACE_PRIVACY } from '../resources/workspace/workspace-privacy-schema.ts';
import { PROVIDERS, WORKSPACE } from '../resources/workspace/workspace-schema.ts';

const errorOf = (surface: keyof typeof DOCUMENTED_ERROR): JsonSchema =>
  DOCUMENTED_ERROR[surface]('').schema!;

export const SCHEMA_NAMES: ReadonlyMap<JsonSchema, string> = new Map<JsonSchema, string>([
  [errorOf('native'), 'Error'],
  [errorOf('chat-completions'), 'ChatError'],
  [errorOf('messages'), 'MessagesError'],
  [AGENT, 'AgentAnswer'],
  [BUNDLE, 'Bundle'],
  [CERTIFICATE, 'Certificate'],
  [CONTEXT_ITEMS, 'ContextItems'],
  [CONVERSATION, 'ConversationAnswer'],
  [DELIVERY, 'DeliveryAnswer'],
  [DOCUMENT, 'DocumentAnswer'],
  [EXTRACTED, 'ExtractedFacts'],
  [MARKET_ANALYSIS_REQUEST, 'MarketQuestion'],
  [MCP_RESPONSE, 'McpResponse'],
  [MCP_SERVER, 'McpServerAnswer'],
  [PROVIDERS, 'ProvidersAnswer'],
  [PUBLIC_KEY, 'PublicKeys'],
  [REPORT, 'ReportAnswer'],
  [SCENARIO, 'ScenarioAnswer'],
  [SOURCE, 'SourceAnswer'],
  [STATES, 'StatesAnswer'],
  [TOKEN_USAGE, 'TokenUsage'],
  [TOOL, 'ToolAnswer'],
  [TOOL_CHANGE, 'ToolChange'],
  [TOOL_RUN, 'ToolRun'],
  [TOOL_WITH_SECRET, 'ToolWithSecretAnswer'],
  [TOOLS, 'ToolsAnswer'],
  [VERIFICATION, 'Verification'],
  [WEBHOOK, 'WebhookAnswer'],
  [WEBHOOK_CHANGE, 'WebhookChange'],
  [WEBHOOK_WITH_SECRET, 'WebhookWithSecretAnswer'],
  [WORKSPACE, 'WorkspaceAnswer'],
  [WORKSPACE_PRIVACY, 'Privacy'],
  [scenario, 'Scenario'],
]);
