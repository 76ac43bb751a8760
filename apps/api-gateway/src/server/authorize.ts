import type { Request } from 'express';
import { ServiceError } from '@witan/contracts';
import { authenticate } from '../auth/authenticate.ts';
import type { Credentials, KeyCheck } from '../auth/authenticate.ts';
import { grantsAny } from '../auth/scope.ts';
import type { LimitRate } from '../limits/limit-rate.ts';
import type { Authorize } from './run-route.ts';
import type { CheckKey } from './watch-key.ts';

type AuthorizeOptions = Pick<KeyCheck, 'findKey' | 'onRefused'> & {
  onUsed: (keyId: string) => void;
  limitRate?: LimitRate | undefined;
};

export const createAuthorize =
  ({ limitRate, onUsed, ...check }: AuthorizeOptions): Authorize =>
  async (request, response, scopes) => {
    const principal = await authenticate(readCredentials(request), { ...check, now: new Date() });
    // The workspace is set before the rate limit and the scopes are checked, so that the log line
    // of a call refused there has it.
    response.locals.workspaceId = principal.workspaceId;
    onUsed(principal.keyId);
    limitRate?.(principal.keyId, response);
    if (grantsAny(principal.scopes, scopes)) return principal;
    throw new ServiceError('INSUFFICIENT_SCOPE', `This key lacks the scope ${scopes[0]}.`, {
      fields: { param: scopes[0]! },
    });
  };

/**
 * Creates a function that checks whether the API key of a running call is still valid. A refusal is
 * not recorded for the audit.
 */
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
