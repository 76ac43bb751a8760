import type { JsonSchema } from '../http/route.ts';
import { TOKEN_USAGE } from './agent-chat-schema.ts';
import { AGENT } from './agent-schema.ts';
import { CONTEXT_ITEMS } from './context-item.ts';
import { CONVERSATION } from './conversation-schema.ts';
import { DOCUMENTED_ERROR } from './error-schema.ts';
import { EXTRACTED } from './extracted-data-schema.ts';
import { DOCUMENT, SOURCE } from './knowledge-schema.ts';
import { MARKET_ANALYSIS_REQUEST } from './market-analysis-schema.ts';
import { CERTIFICATE, PUBLIC_KEY, VERIFICATION } from './proof-schema.ts';
import { SCENARIO, scenario } from './scenario-schema.ts';
import { REPORT, STATES } from './simulation-schema.ts';
import { TOOL_RUN } from './tool-run-schema.ts';
import { TOOL, TOOL_CHANGE, TOOL_WITH_SECRET, TOOLS } from './tool-schema.ts';
import { DELIVERY, WEBHOOK, WEBHOOK_CHANGE, WEBHOOK_WITH_SECRET } from './webhook-schema.ts';
import { WORKSPACE_PRIVACY } from './workspace-privacy-schema.ts';
import { PROVIDERS, WORKSPACE } from './workspace-schema.ts';

const errorOf = (surface: keyof typeof DOCUMENTED_ERROR): JsonSchema =>
  DOCUMENTED_ERROR[surface]('').schema!;

export const SCHEMA_NAMES: ReadonlyMap<JsonSchema, string> = new Map<JsonSchema, string>([
  [errorOf('native'), 'Error'],
  [errorOf('chat-completions'), 'ChatError'],
  [errorOf('messages'), 'MessagesError'],
  [AGENT, 'AgentAnswer'],
  [CERTIFICATE, 'Certificate'],
  [CONTEXT_ITEMS, 'ContextItems'],
  [CONVERSATION, 'ConversationAnswer'],
  [DELIVERY, 'DeliveryAnswer'],
  [DOCUMENT, 'DocumentAnswer'],
  [EXTRACTED, 'ExtractedFacts'],
  [MARKET_ANALYSIS_REQUEST, 'MarketQuestion'],
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
