import { ServiceError } from '@witan/contracts';
import type { Reason } from '@witan/contracts';
import { DIALECTS } from '@witan/dialects';
import { encodeNativeError } from '../http/encode-native-error.ts';
import type { Surface } from '../http/route.ts';

export const ERROR_CODES: Readonly<Record<string, readonly [status: string, meaning: string]>> = {
  server_error: ['200', 'in a stored response that failed: the gateway stopped before it ended'],
  invalid_request: ['400', 'the request is not valid; `details` lists every fault'],
  ambiguous_credentials: ['400', 'the two headers hold two different keys of ours'],
  blocked_address: ['400', 'the URL leads to an address that may not be called'],
  unsupported_parameter: ['400', 'the other dialect has no such parameter; `param` names it'],
  context_length_exceeded: ['400', "the prompt is longer than the model's context"],
  provider_rejected: ['400', 'the provider refused the call'],
  mcp_server_failed: ['400', 'the MCP server does not list its tools'],
  invalid_api_key: ['401', 'no key, or one that is unknown, revoked or expired'],
  session_ended: ['401', 'the session of the cookie has ended; sign in again'],
  insufficient_quota: ['402', 'the account has not enough tokens; nothing was sent'],
  insufficient_scope: ['403', '`param` names the scope that the key lacks'],
  session_not_allowed: ['403', 'a session makes no keys and no links; send an API key'],
  storing_forbidden: [
    '400',
    'the workspace stores no responses, which one in the background needs',
  ],
  cross_origin_request: [
    '403',
    'a session cookie without `x-witan-console: 1`, or from another origin',
  ],
  not_found: ['404', 'there is no such thing in this workspace'],
  model_not_found: ['404', 'there is no such agent behind the address, or no such model'],
  response_not_found: ['404', 'the response is not stored, or not any more'],
  previous_response_not_found: [
    '404',
    '`previous_response_id`, or one that it continues, is not stored any more',
  ],
  previous_response_failed: ['400', 'the response that is continued failed'],
  item_not_found: ['404', 'an `item_reference` names an item that is not stored any more'],
  method_not_allowed: ['405', '`Allow` lists what the path takes'],
  conflict: ['409', 'not possible as things are'],
  slug_taken: ['409', 'another agent has the address that follows from the name'],
  name_taken: ['409', 'another tool or source of the workspace has the name'],
  agent_limit_reached: ['409', 'the workspace has as many agents as it may'],
  tool_limit_reached: ['409', 'the workspace has as many tools as it may'],
  mcp_server_limit_reached: ['409', 'the workspace has as many MCP servers as it may'],
  snapshot_changed: ['409', 'the MCP server lists other tools than those of the hash'],
  tool_of_mcp_server: ['409', 'the tool is defined by its MCP server'],
  webhook_limit_reached: ['409', 'the workspace has as many webhooks as it may'],
  source_limit_reached: ['409', 'the workspace has as many sources as it may'],
  document_limit_reached: ['409', 'the workspace has as many documents as it may'],
  memory_limit_reached: ['409', 'the agent, or the workspace, has as many memories as it may'],
  tool_name_conflict: ['409', 'two tools of one agent would have the same name'],
  session_full: ['409', 'as much was said in the session as it keeps'],
  session_closed: [
    '409',
    'its agent was moved from a local model to a hosted one; begin a new session',
  ],
  conversation_full: ['409', 'as much was said in the conversation as it keeps'],
  no_agents: ['409', 'the workspace has no agents to debate'],
  too_many_agents: ['409', 'more agents than a debate may have'],
  debate_running: ['409', 'another message of the conversation is being debated'],
  simulation_finalized: ['409', 'the simulation is over'],
  simulation_busy: ['409', 'another advance of the simulation takes longer than this call waits'],
  turn_conflict: ['409', 'the simulation is at another turn than `expectedTurn`'],
  nothing_to_report: ['409', 'no turn was played yet'],
  too_many_turns: ['409', 'the simulation has as many turns as it may; finalize it'],
  no_active_scenario: ['409', 'there are scenarios, and none of them is active'],
  too_many_scenarios: ['409', 'the simulation has as many scenarios as it may'],
  other_model: ['409', 'another version of the numeric model played the simulation'],
  response_in_progress: ['409', 'the response that is continued has not ended'],
  idempotency_in_progress: ['409', 'the first call with the key still runs'],
  idempotency_answer_lost: ['409', 'the first call was paid for, and its answer was lost'],
  request_too_large: ['413', 'the body, or what is sent to a provider, is too large'],
  unsupported_media_type: ['415', 'the body is of no type that the operation takes'],
  idempotency_key_reused: ['422', 'the key stands for another call'],
  rate_limited: ['429', 'too many calls with this key; `Retry-After` says when'],
  rate_limit_exceeded: ['429', 'the same, in the chat and responses dialects'],
  too_many_streams: ['429', 'too many streams with this key at once'],
  too_many_uploads: ['429', 'too many bytes of bodies of this workspace at once; 503 when of all'],
  too_many_in_background: ['429', 'too many responses of this workspace in the background'],
  stored_responses_full: ['429', 'the stored responses of this workspace take all their room'],
  provider_rate_limited: ['429', 'the provider has too many calls'],
  balance_held: ['429', 'calls that run hold the rest of the balance; it comes back when they end'],
  client_closed_request: ['499', 'the client left; nobody reads this'],
  debate_cancelled: ['499', 'somebody cancelled the debate; what was said is kept'],
  internal_error: ['500', 'a fault of ours; tell us the `requestId`'],
  not_implemented: ['501', 'the address is reserved'],
  provider_error: ['502', 'the provider failed'],
  upstream_error: ['502', 'the same, in the chat and responses dialects'],
  debate_failed: ['502', 'too few agents answered'],
  unavailable: ['503', 'a service is down for the moment; try again'],
  overloaded: ['503', 'the same, in the chat and responses dialects'],
  local_runtime_unavailable: ['503', 'nothing local is there, and nothing else was asked'],
  provider_timeout: ['504', 'no answer in time'],
  upstream_timeout: ['504', 'the same, in the chat and responses dialects'],
};

const REASON_BY_STATUS: Readonly<Record<string, readonly [Reason, string]>> = {
  400: ['INVALID_REQUEST', 'name is required.'],
  401: ['UNAUTHENTICATED', 'The API key is missing or not valid.'],
  402: ['INSUFFICIENT_QUOTA', 'The account has not enough tokens.'],
  403: ['INSUFFICIENT_SCOPE', 'The key lacks the scope.'],
  404: ['NOT_FOUND', 'There is no such thing in this workspace.'],
  409: ['CONFLICT', 'It is not possible as things are.'],
  413: ['REQUEST_TOO_LARGE', 'The body is larger than 1048576 bytes.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'],
  422: ['IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key stands for another call.'],
  429: ['RATE_LIMITED', 'Too many calls with this key; try again in 1 s.'],
  500: ['INTERNAL', 'Something went wrong on our side.'],
  501: ['NOT_IMPLEMENTED', 'debate: addresses are reserved; use POST /v1/conversations.'],
  502: ['PROVIDER_UNREACHABLE', 'The provider could not be reached.'],
  503: ['UNAVAILABLE', 'A service is down for the moment; try again.'],
  504: ['PROVIDER_TIMEOUT', 'The provider did not answer in time.'],
  529: ['UNAVAILABLE', 'The service is overloaded; try again.'],
};

/**
 * Finds the error codes in a response's description, which are written in parentheses:
 * `(slug_taken)`.
 */
const NAMED_CODES = /\(([a-z]+(?:_[a-z]+)+)\)/g;

type DocumentedRefusal = { status: string; description: string; surface: Surface };

export const toErrorExamples = ({
  status,
  description,
  surface,
}: DocumentedRefusal): Record<string, { value: object }> | undefined => {
  const known = REASON_BY_STATUS[status];
  if (!known) return undefined;
  const [reason, message] = known;
  const codes = [...description.matchAll(NAMED_CODES)].map(([, code]) => code!);
  const bodyOf = (code?: string): object => {
    const text = code === undefined ? message : description;
    const failure = new ServiceError(reason, text, { fields: code ? { code } : {} });
    const requestId = 'req_06EzcOXTGcXn0bMVXKtBvE';
    return surface === 'native'
      ? encodeNativeError(failure, { requestId }).body
      : DIALECTS[surface].encodeError(failure, { requestId }).body;
  };
  if (codes.length === 0) return { [reason.toLowerCase()]: { value: bodyOf() } };
  return Object.fromEntries(codes.map((code) => [code, { value: bodyOf(code) }]));
};
