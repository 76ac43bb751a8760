import type { Request } from 'express';
import { ServiceError } from '@witan/contracts';
import { authenticate } from '../domain/key/authenticate.ts';
import type { Credentials, KeyCheck } from '../domain/key/authenticate.ts';
import { grantsAny } from '../domain/key/scope.ts';
import type { LimitRate } from './limit-rate.ts';
import type { Authorize } from './run-route.ts';
import type { CheckKey } from './watch-key.ts';

type AuthorizeOptions = Pick<KeyCheck, 'findKey' | 'onRefused'> & {
  /** Hears of every key that is good, whatever it may do. */
  onUsed: (keyId: string) => void;
  /** Absent: keys may make as many calls as they like. */
  limitRate?: LimitRate | undefined;
};

/**
 * Reads the key from both headers, finds out who calls, holds the key to its rate and to its
 * scopes.
 */
export const createAuthorize =
  ({ limitRate, onUsed, ...check }: AuthorizeOptions): Authorize =>
  async (request, response, scopes) => {
    const principal = await authenticate(readCredentials(request), { ...check, now: new Date() });
    // Here, for the log line of a call that is refused below.
    response.locals.workspaceId = principal.workspaceId;
    onUsed(principal.keyId);
    limitRate?.(principal.keyId, response);
    if (grantsAny(principal.scopes, scopes)) return principal;
    throw new ServiceError('INSUFFICIENT_SCOPE', `This key lacks the scope ${scopes[0]}.`, {
      fields: { param: scopes[0]! },
    });
  };

/** Checks again the key of a call that was authorized; a refusal is of no new call. */
export const createCheckKey =
  ({ findKey }: Pick<KeyCheck, 'findKey'>): CheckKey =>
  async (request) => {
    const check = { findKey, onRefused: () => {}, now: new Date() };
    await authenticate(readCredentials(request), check);
  };

const readCredentials = (request: Request): Credentials => ({
  apiKey: request.get('x-api-key'),
  authorization: request.get('authorization'),
});
