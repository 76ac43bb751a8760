import type { ChatSessionService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { NEW_SESSION, SESSION, SESSION_WITH_MESSAGES, SESSIONS } from './agent-session-schema.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { PAGE_QUERY, readPage } from '../list-page.ts';
import { AGENT_ID, SESSION_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Sessions = Client<typeof ChatSessionService>;

const agentRouteProps = {
  path: '/v1/agents/{id}/sessions',
  surface: 'native',
  tag: 'Agents',
} as const;
const sessionRouteProps = {
  ...agentRouteProps,
  path: '/v1/agents/{id}/sessions/{sid}',
} as const;
const agentNotFoundError = DOCUMENTED_ERROR.native('No such agent in this workspace');
const sessionNotFoundError = DOCUMENTED_ERROR.native('No such session of this agent');

export const createSessionRoute = (sessions: Sessions): Route => ({
  ...agentRouteProps,
  id: 'createSession',
  method: 'post',
  summary: 'Begin a session; a chat without one begins its own',
  scopes: ['agents'],
  body: NEW_SESSION,
  idempotent: true,
  responses: { 201: { description: 'The session', schema: SESSION }, 404: agentNotFoundError },
  handle: async (call) => {
    const { title } = call.body as Static<typeof NEW_SESSION>;
    const draft = { agentId: AGENT_ID.read(call.params.id), title: title ?? '' };
    return reply(201, SESSION, await sessions.createSession(draft, optionsOf(call)));
  },
});

export const sessionsRoute = (sessions: Sessions): Route => ({
  ...agentRouteProps,
  id: 'listSessions',
  method: 'get',
  summary: "List the agent's sessions, latest activity first",
  scopes: ['agents', 'agents:read'],
  query: PAGE_QUERY,
  responses: {
    200: { description: 'The sessions', schema: SESSIONS },
    404: agentNotFoundError,
  },
  handle: async (call) => {
    const request = { agentId: AGENT_ID.read(call.params.id), ...readPage(call, SESSION_ID.is) };
    const page = await sessions.listSessions(request, optionsOf(call));
    const listed = page.sessions.map((session) => ({
      ...session,
      _count: { messages: session.messageCount },
    }));
    return reply(200, SESSIONS, { ...page, sessions: listed });
  },
});

export const sessionRoute = (sessions: Sessions): Route => ({
  ...sessionRouteProps,
  id: 'getSession',
  method: 'get',
  summary: 'One session with everything that was said in it, in order',
  scopes: ['agents', 'agents:read'],
  responses: {
    200: { description: 'The session', schema: SESSION_WITH_MESSAGES },
    404: sessionNotFoundError,
  },
  handle: async (call) => {
    const { session, messages } = await sessions.getSession(toKey(call), optionsOf(call));
    return reply(200, SESSION_WITH_MESSAGES, { session: { ...session!, messages } });
  },
});

export const deleteSessionRoute = (sessions: Sessions): Route => ({
  ...sessionRouteProps,
  id: 'deleteSession',
  method: 'delete',
  summary: "Delete a session and its messages; the agent's memories stay",
  scopes: ['agents'],
  responses: { 204: { description: 'It is gone' }, 404: sessionNotFoundError },
  handle: async (call) => {
    await sessions.deleteSession(toKey(call), optionsOf(call));
    return { status: 204 };
  },
});

const toKey = (call: RouteCall): { agentId: string; sessionId: string } => ({
  agentId: AGENT_ID.read(call.params.id),
  sessionId: SESSION_ID.read(call.params.sid, 'sessionId'),
});
