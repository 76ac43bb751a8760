import type { ChatEnded, ChatOpened } from '@witan/contracts';
import { encodeAs } from '../../http/encode.ts';
import { encodeTokenUsage } from '../encode-token-usage.ts';
import { encodeToolRun } from '../tools/encode-tool-run.ts';
import { AGENT_CHAT_RESPONSE } from './agent-chat-schema.ts';

export const encodeAgentChat = (openedEvent: ChatOpened, endedEvent: ChatEnded) =>
  encodeAs(
    AGENT_CHAT_RESPONSE,
    { ...openedEvent, ...endedEvent },
    {
      contentParsed:
        endedEvent.contentJson === '' ? null : (JSON.parse(endedEvent.contentJson) as object),
      thoughts: endedEvent.thoughts,
      tokenUsage: encodeTokenUsage(endedEvent.usage),
      toolCalls: endedEvent.toolCalls.map(encodeToolRun),
    },
  );
