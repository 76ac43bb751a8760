import type { AgentService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { RecordAudit } from '../../audit/audit.ts';
import type { Route } from '../../http/route.ts';
import { nativeRoutes } from '../native-routes.ts';
import { AGENT_ID } from '../resource-id.ts';
import { createAudited, membersOf, runAudited } from '../run-audited.ts';
import { AGENT, AGENT_CHANGE, AGENTS, NEW_AGENT, UPDATED_AGENT } from './agent-schema.ts';

const { create, list, get, change, remove } = nativeRoutes('Agents', 'agents');

const PATH = '/v1/agents/{id}';

export const agentRoutes = (
  agents: Client<typeof AgentService>,
  recordAudit: RecordAudit,
): Route[] => [
  create('/v1/agents', {
    id: 'createAgent',
    summary: 'Make an agent; its name is its address, agent:<slug>, too',
    body: NEW_AGENT,
    returns: 'The agent',
    schema: AGENT,
    errors: {
      400: 'A text is missing or too long, or the name has no letter',
      409:
        'The name is taken (slug_taken), the workspace has as many agents as it may, or a call ' +
        'with this Idempotency-Key runs or lost its answer',
    },
    run: ({ call, body }) => {
      const draft = {
        name: body.name,
        systemPrompt: body.systemPrompt,
        role: body.role ?? '',
        personality: body.personality ?? '',
        mission: body.mission ?? '',
        decisionStyle: body.decisionStyle ?? '',
        model: body.model ?? '',
      };
      return createAudited(
        call,
        { action: 'agent.created', recordAudit },
        (options) => agents.createAgent(draft, options),
        ({ agent }) => agent!.id,
      );
    },
  }),
  list('/v1/agents', {
    id: 'listAgents',
    summary: "List the workspace's agents, newest first",
    returns: 'The agents',
    schema: AGENTS,
    cursorId: AGENT_ID,
    run: ({ page, options }) => agents.listAgents(page, options),
  }),
  get(PATH, {
    id: 'getAgent',
    summary: 'One agent',
    ids: { id: AGENT_ID },
    returns: 'The agent',
    schema: AGENT,
    run: ({ ids, options }) => agents.getAgent(ids, options),
  }),
  updateAgentRoute(agents, recordAudit),
  remove(PATH, {
    id: 'deleteAgent',
    summary: 'Delete an agent with its sessions, memories and facts; its certificates stay',
    ids: { id: AGENT_ID },
    run: ({ call, ids }) =>
      runAudited(call, { action: 'agent.deleted', subject: ids.id, recordAudit }, (options) =>
        agents.deleteAgent(ids, options),
      ),
  }),
];

const emptyIfNull = (text: string | null | undefined): string | undefined =>
  text === null ? '' : text;

const updateAgentRoute = (agents: Client<typeof AgentService>, recordAudit: RecordAudit): Route =>
  change(PATH, {
    id: 'updateAgent',
    summary: 'Change an agent; what is absent stays, and a new name is a new address',
    description:
      'An agent of `service-sensitive`, or of a model with `+sensitive`, is processed on this ' +
      'machine, and so is everything derived from it. Moved to another model, it cannot continue ' +
      'its sessions, and what it noted is shown to no hosted model: `closedSessions` and ' +
      '`hiddenMemories` say how many. Moved back, it has them again.',
    ids: { id: AGENT_ID },
    body: AGENT_CHANGE,
    returns: 'The agent as it is now',
    schema: UPDATED_AGENT,
    errors: {
      400: 'A text is empty or too long, or the name has no letter',
      409: 'The name is taken (slug_taken)',
    },
    run: async ({ call, ids, body }) => {
      const agentChange = {
        ...ids,
        name: body.name,
        systemPrompt: body.systemPrompt,
        role: emptyIfNull(body.role),
        personality: emptyIfNull(body.personality),
        mission: emptyIfNull(body.mission),
        decisionStyle: emptyIfNull(body.decisionStyle),
        model: emptyIfNull(body.model),
      };
      const detail = membersOf(body, AGENT_CHANGE);
      const entry = { action: 'agent.changed', subject: ids.id, detail, recordAudit } as const;
      const { agent, leftMachine } = await runAudited(call, entry, (options) =>
        agents.updateAgent(agentChange, options),
      );
      return { agent, ...leftMachine };
    },
  });
