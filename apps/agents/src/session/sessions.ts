import { conflict, invalidRequest, readPage } from '@witan/contracts';
import type { Page, PageRequest, ServiceError } from '@witan/contracts';
import type { Agent } from '../agent/agent.ts';
import type { Agents } from '../agent/agents.ts';
import { staysLocal } from '../agent/agent.ts';
import type { CertifiedMessage, Session, SessionStore } from './session.ts';
import { noSuchSession } from '../memory/memory-store.ts';

export type ShownSession = Session & { isClosed: boolean };

export type Sessions = {
  create: (workspaceId: string, agentId: string, title: string) => Promise<ShownSession>;
  list: (workspaceId: string, agentId: string, page: PageRequest) => Promise<Page<ShownSession>>;
  get: (
    workspaceId: string,
    agentId: string,
    id: string,
  ) => Promise<{ session: ShownSession; messages: CertifiedMessage[] }>;
  remove: (workspaceId: string, agentId: string, id: string) => Promise<void>;
};

const TITLE_LENGTH_MAX = 200;

export const createSessions = ({
  agents,
  store,
  newId,
  clock,
}: {
  agents: Pick<Agents, 'get'>;
  store: SessionStore;
  newId: (prefix: string) => string;
  clock: () => Date;
}): Sessions => ({
  create: async (workspaceId, agentId, title) => {
    if (title.length > TITLE_LENGTH_MAX || title.includes('\0') || !title.isWellFormed()) {
      const message = `title may have ${TITLE_LENGTH_MAX} characters, none of them NUL.`;
      throw invalidRequest(message, { param: 'title' });
    }
    const agent = await agents.get(workspaceId, agentId);
    const session = {
      id: newId('ses'),
      title: title.trim() === '' ? titleOf(agent) : title,
      createdAt: clock(),
      isLocalOnly: staysLocal(agent),
    };
    await store.insert(workspaceId, { ...session, agentId });
    return { ...session, messageCount: 0, isClosed: false };
  },
  list: (workspaceId, agentId, page) =>
    readPage(page, async (query) => {
      const agent = await agents.get(workspaceId, agentId);
      const found = await store.list(workspaceId, agentId, query);
      return found.map((session) => toShown(session, agent));
    }),
  get: async (workspaceId, agentId, id) => {
    const found = await store.find(workspaceId, agentId, id);
    if (!found) throw noSuchSession();
    const agent = await agents.get(workspaceId, agentId);
    return { ...found, session: toShown(found.session, agent) };
  },
  remove: async (workspaceId, agentId, id) => {
    if (!(await store.delete(workspaceId, agentId, id))) throw noSuchSession();
  },
});

const toShown = (session: Session, agent: Agent): ShownSession => ({
  ...session,
  isClosed: isClosedTo(agent, session),
});

/**
 * Returns true for a local-only session of an agent that now uses a hosted model: the model must
 * not see it.
 */
export const isClosedTo = (agent: Agent, { isLocalOnly }: Pick<Session, 'isLocalOnly'>): boolean =>
  isLocalOnly && !staysLocal(agent);

export const sessionClosed = (): ServiceError =>
  conflict(
    'This session was held on the machine, and its agent uses a hosted model now. Open a new ' +
      'session: leave sessionId out.',
    { code: 'session_closed', param: 'sessionId' },
  );

export const titleOf = ({ name }: { name: string }): string => `Chat with ${name}`;
