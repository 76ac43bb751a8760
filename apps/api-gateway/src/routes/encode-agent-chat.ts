import type { ChatEnded, ChatOpened } from '@witan/contracts';
import { encodeFlags } from './encode-agent.ts';
import { encodeFactView } from './encode-fact.ts';
import { encodeTokenUsage } from './encode-token-usage.ts';
import { encodeToolRun } from './encode-tool-run.ts';

export const encodeAgentChat = (opened: ChatOpened, ended: ChatEnded) => ({
  agentId: opened.agentId,
  agentName: opened.agentName,
  agentRole: ended.agentRole,
  content: ended.content,
  contentParsed: ended.contentJson === '' ? null : (JSON.parse(ended.contentJson) as object),
  ...(ended.thoughts === undefined ? {} : { thoughts: ended.thoughts }),
  finishReason: ended.finishReason,
  sessionId: opened.sessionId,
  memoriesSaved: ended.memoriesSaved.map(({ key, value, type, ...marks }) => ({
    key,
    value,
    type,
    ...encodeFlags(marks),
  })),
  extracted: ended.extracted.map(encodeFactView),
  tokenUsage: encodeTokenUsage(ended.usage),
  toolCalls: ended.toolCalls.map(encodeToolRun),
});
