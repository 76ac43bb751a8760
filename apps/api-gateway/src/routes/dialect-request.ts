import type { Request } from 'express';
import type { Address } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import { parseModelAddress } from '../domain/address/parse-model-address.ts';
import { verifyAddressScopes } from '../domain/address/verify-address-scopes.ts';
import type { RouteCall } from '../http/route.ts';

/** What a client of a dialect asks for, and its body with all that belongs to it. */
export type DialectRequest = { address: Address; wire: DialectWire };
type DialectWire = {
  dialect: DialectName;
  json: Uint8Array;
  headers: Record<string, string>;
  query: string;
};

/**
 * Reads a call of a dialect. Throws what its address is refused for, INSUFFICIENT_SCOPE when the
 * key may not reach it.
 */
export const readDialectRequest = (
  { body, source, request, principal }: RouteCall,
  dialect: DialectName,
): DialectRequest => {
  const address = parseModelAddress(String(body.model));
  verifyAddressScopes(address, principal!.scopes);
  const headers = readDialectHeaders(request, dialect);
  return { address, wire: { dialect, json: source, headers, query: readDialectQuery(request) } };
};

/** Headers that decide what a body means, by dialect; what names an account stays here. */
const MEANING: Readonly<Record<DialectName, RegExp>> = {
  'chat-completions': /^openai-beta$/,
  messages: /^anthropic-(?!workspace-id$|user-profile-id$|dangerous-direct-browser-access$)/,
};

/** Names of headers and parameters that clients put credentials into. */
const CREDENTIAL = /key|token|secret|auth|password|credential|signature|^sig$/i;

/** The client's headers that must travel with its body; never credentials (gateway.md rule 14). */
const readDialectHeaders = (request: Request, dialect: DialectName): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    const isMeant = MEANING[dialect].test(name) && !CREDENTIAL.test(name);
    if (isMeant && typeof value === 'string') headers[name] = value;
  }
  return headers;
};

/** The query of the client's URL as it stands, without what may be a credential. */
const readDialectQuery = (request: Request): string => {
  const start = request.originalUrl.indexOf('?');
  if (start === -1) return '';
  return request.originalUrl
    .slice(start + 1)
    .split('&')
    .filter((pair) => !CREDENTIAL.test(nameOf(pair)))
    .join('&');
};

/** A name that cannot be decoded is nobody's parameter. */
const nameOf = (pair: string): string => {
  const name = pair.split('=', 1)[0]!;
  try {
    return decodeURIComponent(name);
  } catch {
    return 'credential';
  }
};
