import type { Request } from 'express';
import type { Address } from '@witan/contracts';
import type { AgentService } from '@witan/contracts/services';
import type { EndpointName } from '@witan/dialects';
import type { CallOptions, Client } from '@witan/service-kit';
import { modulesOfAddress, parseModelAddress, verifyModules } from '../../auth/scope.ts';
import type { RouteCall } from '../../http/route.ts';

type DialectRequest = { address: Address; headers: Record<string, string>; query: string };

/**
 * Reads the model address, headers and query of a dialect request, whose body is by default the
 * call's. Throws INVALID_REQUEST or NOT_IMPLEMENTED for an invalid or reserved model address, and
 * INSUFFICIENT_SCOPE if the API key may not use it.
 */
export const readDialectRequest = (
  { request, principal, ...call }: RouteCall,
  dialect: EndpointName,
  body: RouteCall['body'] = call.body,
): DialectRequest => {
  const address = parseModelAddress(String(body.model));
  verifyModules(modulesOfAddress(address), principal!.scopes);
  const headers = readDialectHeaders(request, dialect);
  return { address, headers, query: readDialectQuery(request) };
};

/**
 * Returns the model that the agent of an address prefers; it determines the provider that gets a
 * call. Throws NOT_FOUND for an unknown agent.
 */
export const findAgentModel = async (
  agents: Pick<Client<typeof AgentService>, 'findAgent'>,
  { agent: slug }: Address,
  options: CallOptions,
): Promise<string> => {
  const { agent } = await agents.findAgent({ slug }, options);
  return agent?.model ?? '';
};

/**
 * Names of the headers that are passed on to the provider, by dialect, because they change the
 * meaning of the body. Headers that name an account or permit browsers to call the provider are
 * excluded.
 */
const FORWARDED_HEADERS: Readonly<Record<EndpointName, RegExp>> = {
  'chat-completions': /^openai-beta$/,
  embeddings: /^openai-beta$/,
  responses: /^openai-beta$/,
  messages: /^anthropic-(?!workspace-id$|user-profile-id$|dangerous-direct-browser-access$)/,
};

const CREDENTIAL = /key|token|secret|auth|password|credential|signature|^sig$/i;

/** Returns the client's headers that are passed on to the provider; never credentials. */
const readDialectHeaders = (request: Request, dialect: EndpointName): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    const isForwarded = FORWARDED_HEADERS[dialect].test(name) && !CREDENTIAL.test(name);
    if (isForwarded && typeof value === 'string') headers[name] = value;
  }
  return headers;
};

/**
 * Returns the query string of the client's URL, without the parameters that may be credentials and
 * otherwise unchanged.
 */
const readDialectQuery = (request: Request): string => {
  const start = request.originalUrl.indexOf('?');
  if (start === -1) return '';
  return request.originalUrl
    .slice(start + 1)
    .split('&')
    .filter((pair) => !CREDENTIAL.test(nameOf(pair)))
    .join('&');
};

/**
 * Returns the decoded name of a query parameter. A name that cannot be decoded is treated as that
 * of a credential, so the parameter is not passed on.
 */
const nameOf = (pair: string): string => {
  const name = pair.split('=', 1)[0]!;
  try {
    return decodeURIComponent(name);
  } catch {
    return 'credential';
  }
};
