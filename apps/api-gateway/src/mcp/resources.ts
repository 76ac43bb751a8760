import { isServiceError } from '@witan/contracts';
import { grantsAny, verifyScope } from '../auth/scope.ts';
import type { RequiredScope } from '../auth/scope.ts';
import { optionsOf } from '../http/route.ts';
import { encodeDebateEvent } from '../resources/conversations/encode-debate-event.ts';
import { PROOF_SCOPES } from '../resources/proofs/export-proofs.ts';
import { DEBATE_ID, PROOF_ID } from '../resources/resource-id.ts';
import type { DebateTaskDeps } from './debate-task.ts';
import { RPC_CODES, RpcError } from './json-rpc.ts';
import { cachedFor } from './mcp-method.ts';
import type { McpCall, McpMethods } from './mcp-method.ts';
import type { PromptDeps } from './prompts.ts';
import { unwrap } from './route-result.ts';

const JSON_TYPE = 'application/json';
const PROOFS = 'witan://proofs/';
const DEBATES = 'witan://debates/';
const LIST_TTL_MS = 5_000;
/** A certificate never changes. */
const PROOF_TTL_MS = 86_400_000;
const DEBATE_TTL_MS = 1_000;
const LISTED_PROOFS = 50;
const DEBATE_SCOPES: readonly RequiredScope[] = ['conversations', 'conversations:read'];

const TEMPLATES = [
  {
    uriTemplate: `${PROOFS}{id}`,
    name: 'proof',
    title: 'Certificate of a completion',
    description: 'The signed certificate, as `witan verify` reads it',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: `${DEBATES}{id}`,
    name: 'debate',
    title: 'Debate of the council',
    description: 'Its state and newest event; at the end messages, scores and synthesis',
    mimeType: JSON_TYPE,
  },
];

/** Returns the methods of resources: certificates, the newest of which are listed, and debates. */
export const createResourceMethods = (deps: PromptDeps & DebateTaskDeps): McpMethods => ({
  'resources/list': async (mcpCall) => ({
    resources: await listProofs(mcpCall, deps),
    ...cachedFor(LIST_TTL_MS),
  }),
  'resources/templates/list': async () => ({
    resourceTemplates: TEMPLATES,
    ...cachedFor(PROOF_TTL_MS),
  }),
  'resources/read': async (mcpCall) => {
    const { uri } = mcpCall.params;
    const [json, ttlMs] = await readResource(uri, mcpCall, deps);
    const contents = [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(json) }];
    return { contents, ...cachedFor(ttlMs) };
  },
});

type ProofPage = { proofs: { payload: { id: string; issuedAt: string } }[] };

const listProofs = async ({ call }: McpCall, { callRoute, routeOf }: PromptDeps) => {
  if (!grantsAny(call.principal!.scopes, PROOF_SCOPES)) return [];
  const query = { limit: LISTED_PROOFS, order: 'desc' };
  const page = unwrap(await callRoute(routeOf('listProofs'), { query }, call));
  const { proofs } = page as ProofPage;
  return proofs.map(({ payload: { id, issuedAt } }) => ({
    uri: `${PROOFS}${id}`,
    name: id,
    title: `Certificate of ${issuedAt}`,
    mimeType: JSON_TYPE,
  }));
};

const readResource = async (
  uri: unknown,
  mcpCall: McpCall,
  deps: PromptDeps & DebateTaskDeps,
): Promise<[json: unknown, ttlMs: number]> => {
  const { call } = mcpCall;
  const proofId = idIn(uri, PROOFS);
  if (proofId !== undefined && PROOF_ID.is(proofId)) {
    const result = await deps.callRoute(
      deps.routeOf('getProof'),
      { params: { id: proofId } },
      call,
    );
    if (result.status === 404) throw unknownResource(mcpCall);
    return [unwrap(result), PROOF_TTL_MS];
  }
  const debateId = idIn(uri, DEBATES);
  if (debateId === undefined || !DEBATE_ID.is(debateId)) throw unknownResource(mcpCall);
  return [await readDebate(debateId, mcpCall, deps), DEBATE_TTL_MS];
};

const idIn = (uri: unknown, prefix: string): string | undefined =>
  typeof uri === 'string' && uri.startsWith(prefix) ? uri.slice(prefix.length) : undefined;

const readDebate = async (
  debateId: string,
  mcpCall: McpCall,
  { conversations }: DebateTaskDeps,
): Promise<object> => {
  const { call } = mcpCall;
  verifyScope(call.principal!, DEBATE_SCOPES);
  try {
    const debate = await conversations.getDebate({ debateId }, optionsOf(call));
    const { conversationId, state, lastEvent } = debate;
    const event = lastEvent && encodeDebateEvent(lastEvent, call);
    return { debateId, conversationId, state, lastEvent: event };
  } catch (error) {
    if (isServiceError(error) && error.reason === 'NOT_FOUND') throw unknownResource(mcpCall);
    throw error;
  }
};

const unknownResource = ({ params: { uri }, envelope }: McpCall): RpcError => {
  const isLegacy = envelope.era === 'legacy';
  const code = isLegacy ? RPC_CODES.legacyResourceNotFound : RPC_CODES.invalidParams;
  return new RpcError(code, 'There is no such resource.', { data: { uri } });
};
