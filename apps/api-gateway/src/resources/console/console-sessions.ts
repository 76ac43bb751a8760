import { isServiceError, notFound } from '@witan/contracts';
import { authenticateKey, badCredentials, isSecure } from '../../auth/authenticate.ts';
import type { KeyDirectory } from '../../auth/authenticate.ts';
import { verifyNoSession, verifyRevocable } from '../../auth/scope.ts';
import type {
  ConsoleSession,
  ConsoleSessions,
  CreateConsoleLink,
  SessionOwner,
} from '../../console-session/console-session.ts';
import {
  createCookieToken,
  createLinkToken,
  hashToken,
  toSetCookie,
} from '../../console-session/session-cookie.ts';
import { verifySignIn } from '../../console-session/verify-console-request.ts';
import { RETRY_AFTER } from '../../errors/default-responses.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { encodeAs } from '../../http/encode.ts';
import { ValidationError } from '../../http/encode-native-error.ts';
import type { Reply, Route, RouteCall } from '../../http/route.ts';
import type { Static } from '../../http/schema.ts';
import type { LimitRate } from '../../server/limit-rate.ts';
import { PAGE_QUERY, unknownCursor } from '../list-page.ts';
import { nativeRoutes } from '../native-routes.ts';
import { CONSOLE_SESSION_ID } from '../resource-id.ts';
import { LINK, SESSION, SESSIONS, SIGN_IN } from './console-schema.ts';

type ConsoleDeps = Pick<KeyDirectory, 'findKey' | 'onRefused'> & {
  sessions: ConsoleSessions;
  createLink: CreateConsoleLink;
  limitRate?: LimitRate | undefined;
};

const TAG = 'Console';
const { create, list, get, remove, handled } = nativeRoutes(TAG, 'keys');

const SESSION_PATH = '/v1/console/session';

export const consoleRoutes = (deps: ConsoleDeps): Route[] => [
  signInRoute(deps),
  get(SESSION_PATH, {
    id: 'getConsoleSession',
    summary: 'The session that the cookie stands for',
    scopes: [],
    returns: 'The session',
    schema: SESSION,
    errors: { 404: 'The call was made with a key and not with a cookie' },
    run: async ({ call }) => ({ session: getSession(call) }),
  }),
  signOutRoute(deps.sessions),
  list('/v1/console/sessions', {
    id: 'listConsoleSessions',
    summary: 'Who is signed in to the console, newest first',
    query: { ...PAGE_QUERY, cursor: { type: 'string' } },
    returns: 'The open sessions',
    schema: SESSIONS,
    cursorId: CONSOLE_SESSION_ID,
    run: async ({ call, page: { limit, cursor } }) => {
      const page = { limit: limit + 1, ...(cursor ? { after: cursor } : {}) };
      const found = await deps.sessions.list(call.principal!.workspaceId, page);
      if (!found) throw unknownCursor();
      const sessions = found.slice(0, limit).map((session) => ({ ...session }));
      return { sessions, nextCursor: found.length > limit ? sessions.at(-1)!.id : '' };
    },
  }),
  remove('/v1/console/sessions/{id}', {
    id: 'endConsoleSession',
    summary: 'Sign a session out; refused everywhere within 5 seconds',
    ids: { id: CONSOLE_SESSION_ID },
    errors: { 403: "The key lacks the scope keys, or one of the session's key" },
    run: async ({ call, ids }) => {
      const caller = call.principal!;
      const isFound = await deps.sessions.end(caller.workspaceId, {
        ...ids,
        actor: caller.keyId,
        check: ({ keyId: id, scopes }) => verifyRevocable(caller, { id, scopes }),
      });
      if (!isFound) throw notFound(`There is no such ${CONSOLE_SESSION_ID.noun}.`);
    },
  }),
  create('/v1/console/links', {
    id: 'createConsoleLink',
    summary: 'Make a link that signs in to the console once, with the scopes of the calling key',
    idempotent: false,
    returns: 'The link',
    returnsHeaders: { 'cache-control': 'no-store' },
    schema: LINK,
    run: async ({ call: { principal, request } }) => {
      verifyNoSession(principal!, 'A link is made with an API key, not by a session.');
      const token = createLinkToken();
      const expiresAt = await deps.createLink(principal!, hashToken(token));
      const scheme = isSecure(request.headers) ? 'https' : 'http';
      const origin = `${scheme}://${request.get('host') ?? ''}`;
      return { link: { url: `${origin}/console/#token=${token}`, expiresAt } };
    },
  }),
];

const SET_COOKIE = 'set-cookie';

/** Not a `handled` route, because its caller has no key yet. */
const signInRoute = (deps: ConsoleDeps): Route => ({
  id: 'createConsoleSession',
  method: 'post',
  path: '/v1/console/sessions',
  surface: 'native',
  tag: TAG,
  summary: 'Sign in to the console with a key, or with the token of a one-time link',
  description:
    'The cookie authenticates every path in place of a key, with the scopes of that key, if the ' +
    'request has the header `x-witan-console: 1` and comes from the same origin ' +
    '(`Sec-Fetch-Site`, or `Origin`, or `Referer`).',
  scopes: undefined,
  body: SIGN_IN,
  responses: {
    201: {
      description: 'The session',
      schema: SESSION,
      headers: {
        [SET_COOKIE]:
          '`witan_session`: HttpOnly, SameSite=Strict, for 12 hours; under HTTPS ' +
          '`__Host-witan_session`, Secure',
      },
    },
    401: {
      ...DOCUMENTED_ERROR.native('The key or the link is not valid'),
      headers: { 'www-authenticate': '`Bearer realm="witan", error="invalid_token"`' },
    },
    429: { ...DOCUMENTED_ERROR.native('Too many calls with this key'), headers: RETRY_AFTER },
  },
  handle: async (call) => {
    verifySignIn(call.request.headers);
    const cookie = createCookieToken();
    const session = await openSession(call, cookie, deps);
    call.response.locals.workspaceId = session.workspaceId;
    return {
      status: 201,
      json: encodeAs(SESSION, { session: { ...session, scopes: [...session.scopes] } }),
      headers: { [SET_COOKIE]: toSetCookie(cookie, { isSecure: isSecure(call.request.headers) }) },
    };
  },
});

const openSession = async (
  { body, response }: RouteCall,
  cookie: string,
  { sessions, findKey, onRefused, limitRate }: ConsoleDeps,
): Promise<ConsoleSession> => {
  const { key, token }: Static<typeof SIGN_IN> = body;
  if ((key === undefined) === (token === undefined)) {
    throw new ValidationError([{ path: 'key', message: 'must be given, or token instead' }]);
  }
  if (token !== undefined) {
    const session = await sessions.redeem(hashToken(token), hashToken(cookie));
    if (session) return session;
    onRefused({ reason: 'bad_link', key: undefined });
    throw badSignIn();
  }
  const owner = await findOwner(key!, { findKey, onRefused });
  limitRate?.(owner.keyId, response);
  return await sessions.open(owner, hashToken(cookie));
};

const findOwner = async (
  key: string,
  directory: Pick<KeyDirectory, 'findKey' | 'onRefused'>,
): Promise<SessionOwner> => {
  try {
    return await authenticateKey({ 'x-api-key': key }, directory, Date.now());
  } catch (error) {
    const isRefusal = isServiceError(error) && error.reason === 'UNAUTHENTICATED';
    throw isRefusal ? badSignIn() : error;
  }
};

const badSignIn = () =>
  badCredentials('The key or the link is not valid, has expired or was used before.');

const signOutRoute = (sessions: ConsoleSessions): Route =>
  handled('delete', SESSION_PATH, {
    id: 'deleteConsoleSession',
    summary: 'Sign out: end the session that the cookie stands for',
    scopes: [],
    responses: {
      204: { description: 'It has ended', headers: { [SET_COOKIE]: 'Clears the cookie' } },
    },
    errors: { 404: 'The call was made with a key and not with a cookie' },
    handle: async ({ call }): Promise<Reply> => {
      const { id, workspaceId, keyId: actor } = getSession(call);
      await sessions.end(workspaceId, { id, actor });
      const cleared = toSetCookie('', { isSecure: isSecure(call.request.headers) });
      return { status: 204, headers: { [SET_COOKIE]: cleared } };
    },
  });

const getSession = ({ principal }: RouteCall) => {
  const { session } = principal!;
  if (!session) throw notFound('This call has no session; sign in to the console.');
  return { ...session, scopes: [...session.scopes] };
};
