import type { ChatEnded, ChatOpened } from '@witan/contracts';
import { encodeFlags } from '../agents/encode-agent.ts';
import { encodeFactView } from '../extracted-data/encode-fact.ts';
import { encodeTokenUsage } from '../encode-token-usage.ts';
import { encodeToolRun } from '../tools/encode-tool-run.ts';

export const encodeAgentChat = (openedEvent: ChatOpened, endedEvent: ChatEnded) => ({
  agentId: openedEvent.agentId,
  agentName: openedEvent.agentName,
  agentRole: endedEvent.agentRole,
  content: endedEvent.content,
  contentParsed:
    endedEvent.contentJson === '' ? null : (JSON.parse(endedEvent.contentJson) as object),
  ...(endedEvent.thoughts === undefined ? {} : { thoughts: endedEvent.thoughts }),
  finishReason: endedEvent.finishReason,
  sessionId: openedEvent.sessionId,
  memoriesSaved: endedEvent.memoriesSaved.map(({ key, value, type, ...marks }) => ({
    key,
    value,
    type,
    ...encodeFlags(marks),
  })),
  extracted: endedEvent.extracted.map(encodeFactView),
  tokenUsage: encodeTokenUsage(endedEvent.usage),
  toolCalls: endedEvent.toolCalls.map(encodeToolRun),
});
