import { ServiceError } from '@witan/contracts';
import { authenticate } from '../domain/key/authenticate.ts';
import type { StoredKey } from '../domain/key/authenticate.ts';
import { grantsAny } from '../domain/key/scope.ts';
import type { Authorize } from './run-route.ts';

/** Reads the key from both headers, finds out who calls, and holds the key to its scopes. */
export const createAuthorize =
  (findKey: (keyId: string) => Promise<StoredKey | undefined>): Authorize =>
  async (request, scopes) => {
    const principal = await authenticate(
      {
        apiKey: request.get('x-api-key'),
        authorization: request.get('authorization'),
      },
      findKey,
      new Date(),
    );
    if (grantsAny(principal.scopes, scopes)) return principal;
    throw new ServiceError('INSUFFICIENT_SCOPE', `This key lacks the scope ${scopes[0]}.`, {
      fields: { param: scopes[0]! },
    });
  };
