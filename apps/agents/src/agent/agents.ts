import { invalidRequest, notFound, readPage } from '@witan/contracts';
import type { Page, PageRequest, ServiceError } from '@witan/contracts';
import { checkPersona, staysLocal, toSlug } from './agent.ts';
import type { Agent, AgentChange, AgentStore, LocalOnlyCounts, Persona } from './agent.ts';

type AgentsDeps = {
  store: AgentStore;
  newId: (prefix: string) => string;
  clock: () => Date;
};

export type Agents = ReturnType<typeof createAgents>;

const AGENTS_MAX = 500;

export const createAgents = ({ store, newId, clock }: AgentsDeps) => ({
  /**
   * Creates an agent. Rejects with INVALID_REQUEST, or with CONFLICT `slug_taken` or
   * `agent_limit_reached`.
   */
  create: async (workspaceId: string, draft: Persona): Promise<Agent> => {
    checkPersona(draft);
    const now = clock();
    const slug = slugOf(draft.name);
    const agent = { ...draft, id: newId('agt'), slug, createdAt: now, updatedAt: now };
    await store.insert(workspaceId, agent, AGENTS_MAX);
    return agent;
  },
  list: (workspaceId: string, page: PageRequest): Promise<Page<Agent>> =>
    readPage(page, (query) => store.list(workspaceId, query)),
  get: async (workspaceId: string, id: string): Promise<Agent> =>
    (await store.find(workspaceId, id)) ?? throwNotFound(),
  getBySlug: async (workspaceId: string, slug: string): Promise<Agent> => {
    // The slug in an address is normalized like a name, so case, accents and kinds of dashes do not
    // matter.
    const agent = await store.findBySlug(workspaceId, toSlug(slug));
    if (agent) return agent;
    throw notFound(`There is no agent "${slug}" in this workspace.`, { param: 'model' });
  },
  /**
   * Updates an agent. If it moved from a local to a hosted model, `localOnlyCounts` counts its
   * local-only sessions and memories, which the hosted model is not shown. Rejects with
   * INVALID_REQUEST, NOT_FOUND or CONFLICT `slug_taken`.
   */
  update: async (
    workspaceId: string,
    id: string,
    change: AgentChange,
  ): Promise<{ agent: Agent; localOnlyCounts: LocalOnlyCounts | undefined }> => {
    checkPersona(change);
    const slug = change.name === undefined ? {} : { slug: slugOf(change.name) };
    const updated = await store.update(workspaceId, id, {
      ...change,
      ...slug,
      updatedAt: clock(),
    });
    if (!updated) return throwNotFound();
    const { before, agent } = updated;
    const becameHosted = staysLocal(before) && !staysLocal(agent);
    const localOnlyCounts = becameHosted ? await store.countLocalOnly(workspaceId, id) : undefined;
    return { agent, localOnlyCounts };
  },
  remove: async (workspaceId: string, id: string): Promise<void> => {
    if (!(await store.delete(workspaceId, id))) throwNotFound();
  },
});

const slugOf = (name: string): string => {
  const slug = toSlug(name);
  if (slug !== '') return slug;
  const message = 'name must have a letter or a digit, for its address is made of those.';
  throw invalidRequest(message, { param: 'name' });
};

const throwNotFound = (): never => {
  throw noSuchAgent();
};

export const noSuchAgent = (): ServiceError =>
  notFound('There is no such agent in this workspace.');
