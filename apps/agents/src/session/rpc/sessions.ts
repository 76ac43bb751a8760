import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { SessionSchema } from '@witan/contracts';
import type { ChatSessionService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Sessions, ShownSession } from '../sessions.ts';

export const createSessionHandlers = (sessions: Sessions): Handlers<typeof ChatSessionService> => ({
  createSession: async ({ agentId, title }, { workspaceId }) => ({
    session: toSession(await sessions.create(workspaceId, agentId, title)),
  }),
  listSessions: async ({ agentId, ...page }, { workspaceId }) => {
    const { items, nextCursor } = await sessions.list(workspaceId, agentId, page);
    return { sessions: items.map(toSession), nextCursor };
  },
  getSession: async ({ agentId, sessionId }, { workspaceId }) => {
    const { session, messages } = await sessions.get(workspaceId, agentId, sessionId);
    return { session: toSession(session), messages };
  },
  deleteSession: async ({ agentId, sessionId }, { workspaceId }) => {
    await sessions.remove(workspaceId, agentId, sessionId);
    return {};
  },
});

const toSession = (session: ShownSession): MessageInitShape<typeof SessionSchema> => ({
  id: session.id,
  title: session.title,
  messageCount: session.messageCount,
  closed: session.isClosed,
  createdAt: timestampFromDate(session.createdAt),
});
