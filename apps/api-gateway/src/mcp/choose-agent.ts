import { invalidRequest } from '@witan/contracts';
import { encodeNativeError } from '../http/encode-native-error.ts';
import { isObject } from './json-rpc.ts';
import { missingCapability, supportsForms } from './envelope.ts';
import type { McpCall, McpResult } from './mcp-method.ts';
import { listAgents } from './prompts.ts';
import type { PromptDeps } from './prompts.ts';
import type { RequestStates } from './request-state.ts';
import { toErrorResult } from './tool-result.ts';

export type ChooseAgentDeps = PromptDeps & { states: RequestStates };

const INPUT = 'agent';

/**
 * Returns the id of the agent that the user chose in a form, with an idempotency key for a call
 * that has none; or the result that asks for it, which is an error if the user declined or the
 * workspace has no agent. Throws RpcError `missingCapability` if the client cannot show a form, and
 * `invalidParams` for a `requestState` that is not valid.
 */
export const chooseAgent = async (
  mcpCall: McpCall,
  deps: ChooseAgentDeps,
): Promise<{ agentId: string; idempotencyKey: string } | { result: McpResult }> => {
  const { params, envelope } = mcpCall;
  const agents = await listAgents(mcpCall, deps);
  const fail = (message: string) => ({ result: toInvalidResult(message, mcpCall) });
  if (params.requestState !== undefined) {
    const idempotencyKey = deps.states.verify(params.requestState, mcpCall);
    const { action, agentId } = readChoice(params.inputResponses);
    if (action === 'decline' || action === 'cancel') return fail('The user chose no agent.');
    const agent = agents.find(({ id }) => id === agentId);
    if (agent) return { agentId: agent.id, idempotencyKey };
  }
  if (agents.length === 0) return fail('This workspace has no agents; create one first.');
  if (!supportsForms(envelope)) throw missingCapability({ elicitation: { form: {} } });
  return { result: toQuestion(agents, deps.states.create(mcpCall)) };
};

const toInvalidResult = (message: string, { call: { requestId } }: McpCall): McpResult =>
  toErrorResult(encodeNativeError(invalidRequest(message), { requestId }).body.error);

const readChoice = (inputResponses: unknown): { action?: unknown; agentId?: unknown } => {
  const response = isObject(inputResponses) ? inputResponses[INPUT] : undefined;
  if (!isObject(response)) return {};
  const { action, content } = response;
  return { action, ...(action === 'accept' && isObject(content) && { agentId: content.agentId }) };
};

type Agents = Awaited<ReturnType<typeof listAgents>>;

const toQuestion = (agents: Agents, requestState: string): McpResult => ({
  resultType: 'input_required',
  inputRequests: {
    [INPUT]: {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Which adviser shall be asked?',
        requestedSchema: {
          type: 'object',
          required: ['agentId'],
          properties: {
            agentId: {
              type: 'string',
              title: 'Adviser',
              oneOf: agents.map(({ id, name, role }) => ({
                const: id,
                title: role === '' ? name : `${name}, ${role}`,
              })),
            },
          },
        },
      },
    },
  },
  requestState,
});
