import type { ChatSessionService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { NEW_SESSION, SESSION, SESSION_WITH_MESSAGES, SESSIONS } from './agent-session-schema.ts';
import {
  encodeListedSession,
  encodeSession,
  encodeSessionMessage,
  isSessionId,
  readAgentId,
  readSessionId,
} from '../agents/encode-agent.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { encodeNext, PAGE_QUERY, readPage } from '../list-page.ts';

type Sessions = Client<typeof ChatSessionService>;

const id = { type: 'string' } as const;
const agentRouteProps = {
  path: '/v1/agents/{id}/sessions',
  surface: 'native',
  tag: 'Agents',
  params: { id },
} as const;
const sessionRouteProps = {
  ...agentRouteProps,
  path: '/v1/agents/{id}/sessions/{sid}',
  params: { id, sid: id },
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
    const { title } = call.body as { title?: string | null };
    const draft = { agentId: readAgentId(call), title: title ?? '' };
    const { session } = await sessions.createSession(draft, optionsOf(call));
    return { status: 201, json: { session: encodeSession(session!) } };
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
    400: DOCUMENTED_ERROR.native('limit is out of range, or cursor is none that was given'),
    404: agentNotFoundError,
  },
  handle: async (call) => {
    const request = { agentId: readAgentId(call), ...readPage(call, isSessionId) };
    const page = await sessions.listSessions(request, optionsOf(call));
    const encoded = page.sessions.map(encodeListedSession);
    return { status: 200, json: { sessions: encoded, ...encodeNext(page.nextCursor) } };
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
    const encoded = { ...encodeSession(session!), messages: messages.map(encodeSessionMessage) };
    return { status: 200, json: { session: encoded } };
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
  agentId: readAgentId(call),
  sessionId: readSessionId(call.params.sid!),
});
