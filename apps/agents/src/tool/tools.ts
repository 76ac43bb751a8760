import { conflict, invalidRequest, notFound, readPage } from '@witan/contracts';
import type { ErrorFields, Page, PageRequest, ServiceError } from '@witan/contracts';
import { checkTool } from './check-tool.ts';
import type { SchemaValidator } from './tool.ts';
import type { LinkedTool, Tool, ToolChange, ToolLinkStore, ToolStore } from './tool.ts';

type ToolsDeps = {
  store: ToolStore;
  links: Omit<ToolLinkStore, 'findLinked'>;
  validator: Pick<SchemaValidator, 'findError'>;
  /**
   * Returns the normalized URL. Rejects with INVALID_REQUEST, for example `blocked_address` for an
   * address that tools must not have.
   */
  checkUrl: (url: string) => Promise<string>;
  newId: (prefix: string) => string;
  newSecretBytes: () => Uint8Array;
  clock: () => Date;
};

type ToolDraft = Pick<Tool, 'name' | 'description' | 'parameters' | 'url'> & {
  agentIds: readonly string[];
};

/** Tool with its new secret, which is never returned again. */
type ToolWithSecret = LinkedTool & { secret: string };

export type Tools = ReturnType<typeof createTools>;

/** Maximum number of tools of a workspace, the accepted ones of MCP servers included. */
export const TOOLS_MAX = 100;
/** Pattern of agent ids. An id that does not match is rejected without a database query. */
const AGENT_ID = /^agt_[0-9A-Za-z]{1,64}$/;

export const createTools = (deps: ToolsDeps) => ({
  /**
   * Creates a tool. Rejects with INVALID_REQUEST, or CONFLICT `name_taken` or `tool_limit_reached`.
   */
  create: (workspaceId: string, draft: ToolDraft): Promise<ToolWithSecret> =>
    create(deps, workspaceId, draft),
  list: (workspaceId: string, page: PageRequest): Promise<Page<Tool>> =>
    readPage(page, (query) => deps.store.list(workspaceId, query)),
  get: async (workspaceId: string, id: string): Promise<LinkedTool> =>
    (await deps.store.find(workspaceId, id)) ?? throwNotFound(),
  update: (workspaceId: string, id: string, change: ToolChange): Promise<LinkedTool> =>
    update(deps, workspaceId, id, change),
  remove: async (workspaceId: string, id: string): Promise<void> => {
    refuseOfMcpServer(await deps.store.find(workspaceId, id), 'delete the server');
    if (!(await deps.store.delete(workspaceId, id))) throwNotFound();
  },
  rotateSecret: async (workspaceId: string, id: string): Promise<ToolWithSecret> => {
    refuseOfMcpServer(await deps.store.find(workspaceId, id), 'it has no secret');
    const secret = encodeToolSecret(deps.newSecretBytes());
    const tool = (await deps.store.update(workspaceId, id, { secret })) ?? throwNotFound();
    return { ...tool, secret };
  },
  link: deps.links.link,
  unlink: deps.links.unlink,
  listOfAgent: (workspaceId: string, agentId: string, page: PageRequest): Promise<Page<Tool>> =>
    readPage(page, (query) => deps.links.list(workspaceId, agentId, query)),
});

const create = async (
  { store, validator, checkUrl, newId, newSecretBytes, clock }: ToolsDeps,
  workspaceId: string,
  { agentIds, ...draft }: ToolDraft,
): Promise<ToolWithSecret> => {
  await checkTool(draft, { validator, workspaceId });
  const secret = encodeToolSecret(newSecretBytes());
  const tool = {
    ...draft,
    id: newId('tol'),
    url: await checkUrl(draft.url),
    isActive: true,
    createdAt: clock(),
  };
  const invalidIds = agentIds.filter((id) => !AGENT_ID.test(id));
  if (invalidIds.length > 0) throw unknownAgents(invalidIds);
  const links = { agentIds: [...new Set(agentIds)], max: TOOLS_MAX };
  return { ...(await store.insert(workspaceId, { ...tool, secret }, links)), secret };
};

const update = async (
  { store, validator, checkUrl }: ToolsDeps,
  workspaceId: string,
  id: string,
  { url, ...change }: ToolChange,
): Promise<LinkedTool> => {
  // The tool is looked up first, so that `checkUrl` cannot be used to probe addresses with the id
  // of another workspace's tool.
  const tool = (await store.find(workspaceId, id)) ?? throwNotFound();
  const { isActive: _isActive, ...definition } = { url, ...change };
  if (Object.values(definition).some((value) => value !== undefined)) {
    refuseOfMcpServer(tool, 'only isActive can change');
  }
  await checkTool(change, { validator, workspaceId });
  const checkedUrl = url === undefined ? {} : { url: await checkUrl(url) };
  return (await store.update(workspaceId, id, { ...change, ...checkedUrl })) ?? throwNotFound();
};

/** Throws CONFLICT `tool_of_mcp_server` for a tool that its MCP server defines. */
const refuseOfMcpServer = (tool: Tool | undefined, hint: string): void => {
  if (!tool?.mcpServerId) return;
  throw conflict(`This tool belongs to an MCP server: ${hint}.`, { code: 'tool_of_mcp_server' });
};

const throwNotFound = (): never => {
  throw noSuchTool();
};

export const noSuchTool = (fields?: ErrorFields): ServiceError =>
  notFound('There is no such tool in this workspace.', fields);

const LISTED_IDS_MAX = 20;
const ID_LENGTH_MAX = 80;

export const unknownAgents = (ids: readonly string[]): ServiceError => {
  const listedIds = ids
    .slice(0, LISTED_IDS_MAX)
    .map((id) => id.slice(0, ID_LENGTH_MAX).toWellFormed());
  const moreText = ids.length > LISTED_IDS_MAX ? ` and ${ids.length - LISTED_IDS_MAX} more` : '';
  const message = `There are no such agents in this workspace: ${listedIds.join(', ')}${moreText}.`;
  return invalidRequest(message, { param: 'agentIds' });
};

export const SECRET_BYTES = 32;

/** Returns the text form of a secret, which is the signing key. */
const encodeToolSecret = (bytes: Uint8Array): string =>
  `tlsec_${Buffer.from(bytes).toString('base64')}`;
