import { isObject } from './json-rpc.ts';
import { missingCapability, supportsForms } from './envelope.ts';
import type { McpCall, McpResult } from './mcp-method.ts';
import { listAgents } from './prompts.ts';
import type { PromptDeps } from './prompts.ts';
import type { RequestStates } from './request-state.ts';

export type ChooseAgentDeps = PromptDeps & { states: RequestStates };

const INPUT = 'agent';

/**
 * Returns the id of the agent that the user chose in a form, with an idempotency key for a call
 * that has none, or the result that asks for it. Throws RpcError `missingCapability` if the client
 * cannot show a form, and `invalidParams` for a `requestState` that is not valid.
 */
export const chooseAgent = async (
  mcpCall: McpCall,
  deps: ChooseAgentDeps,
): Promise<{ agentId: string; idempotencyKey: string } | { result: McpResult }> => {
  const { params, envelope } = mcpCall;
  const agents = await listAgents(mcpCall, deps);
  if (params.requestState !== undefined) {
    const idempotencyKey = deps.states.verify(params.requestState, mcpCall);
    const chosen = readChoice(params.inputResponses);
    const agent = agents.find(({ id }) => id === chosen);
    if (agent) return { agentId: agent.id, idempotencyKey };
  }
  if (!supportsForms(envelope)) throw missingCapability({ elicitation: { form: {} } });
  return { result: toQuestion(agents, deps.states.create(mcpCall)) };
};

const readChoice = (inputResponses: unknown): unknown => {
  const response = isObject(inputResponses) ? inputResponses[INPUT] : undefined;
  const content = isObject(response) && response.action === 'accept' ? response.content : {};
  return isObject(content) ? content.agentId : undefined;
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
