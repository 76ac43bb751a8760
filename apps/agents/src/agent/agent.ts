import { isServiceError, invalidRequest } from '@witan/contracts';
import { readModelAddress } from '@witan/dialects';

export type Agent = Persona & {
  id: string;
  /** Name in model addresses such as `agent:<slug>`, unique in the workspace. */
  slug: string;
  createdAt: Date;
  updatedAt: Date;
};

export type Persona = {
  name: string;
  role: string;
  systemPrompt: string;
  personality: string;
  mission: string;
  decisionStyle: string;
  model: string;
};

export type AgentChange = Partial<Persona>;

export type LocalOnlyCounts = { sessions: number; memories: number };

export type AgentStore = {
  /**
   * Inserts an agent. Rejects with CONFLICT `slug_taken`, or with `agent_limit_reached` if the
   * workspace already has `max` agents.
   */
  insert: (workspaceId: string, agent: Agent, max: number) => Promise<void>;
  list: (workspaceId: string, page: { limit: number; after?: string }) => Promise<Agent[]>;
  find: (workspaceId: string, id: string) => Promise<Agent | undefined>;
  findByIds: (workspaceId: string, ids: readonly string[]) => Promise<Agent[]>;
  findBySlug: (workspaceId: string, slug: string) => Promise<Agent | undefined>;
  /**
   * Updates an agent and returns it before and after the change; undefined if it does not exist.
   * Rejects with CONFLICT `slug_taken`.
   */
  update: (
    workspaceId: string,
    id: string,
    change: AgentChange & { slug?: string; updatedAt: Date },
  ) => Promise<{ before: Agent; agent: Agent } | undefined>;
  countLocalOnly: (workspaceId: string, id: string) => Promise<LocalOnlyCounts>;
  delete: (workspaceId: string, id: string) => Promise<boolean>;
};

export const sourceOfChat = (agentId: string): string => `agent_chat:${agentId}`;

/**
 * Returns a name as it is used in model addresses: in lower case, without combining marks, with
 * dashes between words; empty if the name has no letter or digit.
 */
export const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/**
 * Returns true if the agent's calls, and all data derived from them, must stay on the machine. Also
 * returns true, as the safe choice, for an invalid model address, which older releases accepted;
 * the llm-gateway rejects its calls.
 */
export const staysLocal = ({ model }: Pick<Persona, 'model'>): boolean => {
  try {
    const { kind, sensitive } = readModelAddress(model);
    return sensitive || kind === 'service-sensitive';
  } catch (error) {
    if (isServiceError(error)) return true;
    throw error;
  }
};

/** Maximum lengths of a persona's fields, in UTF-16 units. */
const LIMITS = {
  name: 120,
  role: 500,
  systemPrompt: 32_000,
  personality: 4_000,
  mission: 4_000,
  decisionStyle: 4_000,
  model: 256,
} as const satisfies Record<keyof AgentChange, number>;

export const checkPersona = (change: AgentChange): void => {
  for (const [param, max] of Object.entries(LIMITS) as [keyof AgentChange, number][]) {
    const text = change[param];
    if (text === undefined) continue;
    if (param === 'name' || param === 'systemPrompt') checkNotEmpty(text, param);
    checkText(text, { param, max });
  }
  if (change.model !== undefined) checkModel(change.model);
};

/** Throws INVALID_REQUEST if a text has more than `max` UTF-16 units, NUL or a lone surrogate. */
export const checkText = (text: string, { param, max }: { param: string; max: number }): void => {
  if (text.length <= max && !text.includes('\0') && text.isWellFormed()) return;
  const message = `${param} may have ${max} characters of well-formed Unicode, none of them NUL.`;
  throw invalidRequest(message, { param });
};

/** Throws INVALID_REQUEST if a text is empty or white space. */
export const checkNotEmpty = (text: string, param: string): void => {
  if (text.trim() === '') throw invalidRequest(`${param} is empty.`, { param });
};

const checkModel = (model: string): void => {
  const { kind, knowledge } = readModelAddress(model);
  if (kind !== 'agent' && kind !== 'debate' && !knowledge) return;
  throw invalidRequest(
    'model is a model or a service-... address, with or without +sensitive. Link knowledge ' +
      'sources to the agent instead of +knowledge.',
    { param: 'model' },
  );
};
