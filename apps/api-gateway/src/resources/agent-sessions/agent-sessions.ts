import type { SessionMessage } from '@witan/contracts';
import type { ChatSessionService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { Route, RouteCall } from '../../http/route.ts';
import { nativeRoutes } from '../native-routes.ts';
import { AGENT_ID, SESSION_ID } from '../resource-id.ts';
import { NEW_SESSION, SESSION, SESSION_WITH_MESSAGES, SESSIONS } from './agent-session-schema.ts';

const { create, list, get, remove } = nativeRoutes('Agents', 'agents');

const PATH = '/v1/agents/{id}/sessions';
const SESSION_PATH = '/v1/agents/{id}/sessions/{sid}';
const sessionErrors = { 404: `No such ${SESSION_ID.noun}` } as const;

export const sessionRoutes = (sessions: Client<typeof ChatSessionService>): Route[] => [
  create(PATH, {
    id: 'createSession',
    summary: 'Begin a session; a chat without one begins its own',
    ids: { id: AGENT_ID },
    body: NEW_SESSION,
    returns: 'The session',
    schema: SESSION,
    run: ({ ids, body, options }) =>
      sessions.createSession({ agentId: ids.id, title: body.title ?? '' }, options),
  }),
  list(PATH, {
    id: 'listSessions',
    summary: "List the agent's sessions, latest activity first",
    ids: { id: AGENT_ID },
    returns: 'The sessions',
    schema: SESSIONS,
    cursorId: SESSION_ID,
    run: async ({ ids, page, options }) => {
      const found = await sessions.listSessions({ agentId: ids.id, ...page }, options);
      const listed = found.sessions.map((session) => ({
        ...session,
        _count: { messages: session.messageCount },
      }));
      return { ...found, sessions: listed };
    },
  }),
  get(SESSION_PATH, {
    id: 'getSession',
    summary: 'One session with everything that was said in it, in order',
    returns: 'The session',
    schema: SESSION_WITH_MESSAGES,
    errors: sessionErrors,
    run: async ({ call, options }) => {
      const { session, messages } = await sessions.getSession(toKey(call), options);
      return { session: { ...session!, messages: messages.map(toMessage) } };
    },
  }),
  remove(SESSION_PATH, {
    id: 'deleteSession',
    summary: "Delete a session and its messages; the agent's memories stay",
    errors: sessionErrors,
    run: ({ call, options }) => sessions.deleteSession(toKey(call), options),
  }),
];

/** A user's message has no certificates, so it has no list of them. */
const toMessage = ({ proofIds, ...message }: SessionMessage) => ({
  ...message,
  ...(message.senderType === 'agent' ? { proofIds } : {}),
});

const toKey = ({ params }: RouteCall): { agentId: string; sessionId: string } => ({
  agentId: AGENT_ID.read(params.id),
  sessionId: SESSION_ID.read(params.sid, 'sessionId'),
});
