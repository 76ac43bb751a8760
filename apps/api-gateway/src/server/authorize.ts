import type { Request, Response } from 'express';
import type { Credentials, KeyCheck, Principal } from '../auth/authenticate.ts';
import type { RequiredScope } from '../auth/scope.ts';
import type { ConsoleSession } from '../console-session/console-session.ts';
import { isServiceError, ServiceError } from '@witan/contracts';
import { toPublicError } from '@witan/service-kit';
import { authenticate, badCredentials } from '../auth/authenticate.ts';
import { verifyScope } from '../auth/scope.ts';
import { readSessionCookie } from '../console-session/session-cookie.ts';
import { verifyConsoleRequest } from '../console-session/verify-console-request.ts';
import { isSecure } from '../http/is-secure.ts';
import type { LimitRate } from './limit-rate.ts';
import { DrainLimitError } from './listen.ts';

type CallerCheck = Pick<KeyCheck, 'findKey' | 'onRefused'> & {
  /** Finds an open session by its cookie. */
  findSession: (cookie: string) => Promise<ConsoleSession | undefined>;
};

type AuthorizeOptions = CallerCheck & {
  onUsed: (keyId: string) => void;
  limitRate?: LimitRate | undefined;
};

export const createAuthorize =
  ({ limitRate, onUsed, ...check }: AuthorizeOptions): Authorize =>
  async (request, response, scopes) => {
    const principal = await authenticateCaller(request, check);
    // Workspace and key are set before the rate limit and the scopes are checked, so that the log
    // line of a call refused there has them.
    response.locals.workspaceId = principal.workspaceId;
    response.locals.keyId = principal.keyId;
    onUsed(principal.keyId);
    limitRate?.(principal.keyId, response);
    verifyScope(principal, scopes);
    return principal;
  };

/**
 * Creates a function that checks whether the API key of a running call is still valid. A refusal is
 * not recorded for the audit.
 */
export const createCheckKey =
  (check: Pick<CallerCheck, 'findKey' | 'findSession'>): CheckKey =>
  async (request) => {
    await authenticateCaller(request, { ...check, onRefused: () => {} });
  };

export const toCredentials = (request: Request): Credentials => ({
  apiKey: request.get('x-api-key'),
  authorization: request.get('authorization'),
});

/** Returns the caller by its API key; if no header has one, by the cookie of a console session. */
const authenticateCaller = async (
  request: Request,
  { findSession, ...check }: CallerCheck,
): Promise<Principal> => {
  const now = new Date();
  const credentials = toCredentials(request);
  const hasKey = Boolean(credentials.apiKey) || Boolean(credentials.authorization);
  const cookie = hasKey
    ? undefined
    : readSessionCookie(request.get('cookie'), {
        isSecure: isSecure(request),
      });
  if (cookie === undefined) return await authenticate(credentials, { ...check, now });
  verifyConsoleRequest(request.headers);
  const session = await findSession(cookie);
  if (session && session.expiresAt > now) {
    const { keyId, workspaceId, userId, scopes } = session;
    return { keyId, workspaceId, userId, scopes, session };
  }
  check.onRefused({ reason: 'bad_session', key: undefined });
  throw badCredentials('The session has ended; sign in again.', 'session_ended');
};

export type CheckKey = (request: Request) => Promise<void>;

/**
 * Interval of the check. Together with the 3 s for which a key is cached, a revocation ends streams
 * within 5 s.
 */
const CHECK_EVERY_MS = 1_500;

/**
 * Checks the API key of a call regularly, and aborts the call with UNAUTHENTICATED once the key is
 * no longer valid. Returns the function that ends the checks.
 */
export const watchKey = (
  request: Request,
  { checkKey, abortController }: { checkKey: CheckKey; abortController: AbortController },
): (() => void) => {
  const onFailure = (error: unknown): void => {
    // Other errors, such as an unavailable database, do not end the call; the check is repeated.
    if (!isServiceError(error) || error.reason !== 'UNAUTHENTICATED') return;
    clearInterval(timer);
    abortController.abort(keyNoLongerValid());
  };
  const timer = setInterval(() => void checkKey(request).catch(onFailure), CHECK_EVERY_MS).unref();
  return () => clearInterval(timer);
};

const keyNoLongerValid = (): ServiceError =>
  new ServiceError(
    'UNAUTHENTICATED',
    'The API key of this call was revoked or has expired; the call ends here.',
  );

/**
 * Returns the reason if this process aborted the call; undefined if the client disconnected or the
 * call still runs.
 */
export const abortReasonOf = ({ reason }: AbortSignal): ServiceError | undefined =>
  isServiceError(reason) ? reason : undefined;

/** Returns whether the client disconnected; false if this process aborted the call. */
export const hasDisconnected = (signal: AbortSignal): boolean =>
  signal.aborted && !abortReasonOf(signal) && !(signal.reason instanceof DrainLimitError);

/** Returns the error to send on an open stream, or undefined if the client has disconnected. */
export const toStreamFailure = (error: unknown, signal: AbortSignal): ServiceError | undefined =>
  signal.aborted ? abortReasonOf(signal) : toPublicError(error);

type Authorize = (
  request: Request,
  response: Response,
  scopes: readonly RequiredScope[],
) => Promise<Principal>;

export type KeyChecks = { authorize: Authorize; checkKey: CheckKey };
