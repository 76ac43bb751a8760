/** Operation ids that cannot call a model, by the reason why they cannot. */
const REASONS: Readonly<Record<string, string>> = {
  'reads stored rows':
    'getAgent listAgents listSessions getConversation listConversations getExtractedData ' +
    'listExtractedData getTool listTools listAgentTools getMcpServer listMcpServers ' +
    'getKnowledgeSource listKnowledgeSources ' +
    'listKnowledgeDocuments listAgentKnowledge listMemoryRevisions getSimulation ' +
    'listSimulations listSimulationStates getSimulationReport getMarketAnalysis ' +
    'listMarketAnalyses getWorkspace listProviders listApiKeys getBalance listEntries ' +
    'listCalls getUsage listAuditEvents streamEvents ' +
    'getConsoleSession listConsoleSessions getWebhook listWebhooks listDeliveries listWebhookEvents ' +
    'getResponse listResponseInputItems',
  'reads the chain, which contains only hashes':
    'getProof listProofs verifyProof exportProofs getPublicKey getOpenapi getDocs ' +
    'getBundle getTreeCheckpoint getTreeTile listEpochs getLog getCheckpoint getTile',
  'masks the body of the caller and sends nothing':
    'previewChatCompletion previewMessage previewResponse',
  'asks providers for the names of their models': 'listModels getModel',
  'only writes or deletes rows':
    'deleteAgent createSession deleteSession deleteMemory deleteExtractedData deleteConversation ' +
    'updateTool putTool deleteTool rotateToolSecret acceptMcpServer deleteMcpServer ' +
    'deleteKnowledgeSource deleteSimulation ' +
    'deleteKnowledgeDocument putWorkspace putProviders createCredit createApiKey revokeApiKey ' +
    'rotateApiKey createWebhook updateWebhook putWebhook deleteWebhook rotateWebhookSecret ' +
    'createConsoleLink createConsoleSession deleteConsoleSession endConsoleSession deleteResponse',
  'calls an endpoint of the customer with data of the caller':
    'testTool testWebhook redeliver createMcpServer refreshMcpServer',
};

export const WITHOUT_MODEL: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(REASONS).flatMap(([reason, ids]) => ids.split(' ').map((id) => [id, reason])),
);
