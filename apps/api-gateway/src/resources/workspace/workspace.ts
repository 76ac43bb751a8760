import type { MemoryPolicy, ModelSettings } from '@witan/contracts';
import type { MemoryService, SettingsService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { Workspace, Workspaces } from '../../auth/workspace.ts';
import { optionsOf } from '../../http/call-options.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { WORKSPACE, WORKSPACE_CHANGE } from './workspace-schema.ts';

export type WorkspaceDeps = {
  workspaces: Workspaces;
  settings: Client<typeof SettingsService>;
  memories: Pick<Client<typeof MemoryService>, 'getMemoryPolicy' | 'setMemoryPolicy'>;
};

const shared = { path: '/v1/workspace', surface: 'native', tag: 'Workspace' } as const;

export const workspaceRoute = ({ settings, memories, workspaces }: WorkspaceDeps): Route => ({
  ...shared,
  id: 'getWorkspace',
  method: 'get',
  summary:
    "The key's workspace: name, names for models, what is behind the router, privacy, memory",
  scopes: ['gateway', 'gateway:read'],
  responses: { 200: { description: 'The workspace', schema: WORKSPACE } },
  handle: async (call) => {
    const [workspace, model, memory] = await Promise.all([
      workspaces.get(call.principal!.workspaceId),
      settings.getModelSettings({}, optionsOf(call)),
      memories.getMemoryPolicy({}, optionsOf(call)),
    ]);
    const parts = { settings: model.settings!, policy: memory.policy! };
    return { status: 200, json: encodeWorkspace(workspace, parts) };
  },
});

export const putWorkspaceRoute = ({ settings, memories, workspaces }: WorkspaceDeps): Route => ({
  ...shared,
  id: 'putWorkspace',
  method: 'put',
  summary: 'Replace members of the workspace; those that are absent stay',
  scopes: ['keys'],
  body: WORKSPACE_CHANGE,
  responses: {
    200: { description: 'The workspace as it is now', schema: WORKSPACE },
    400: DOCUMENTED_ERROR.native('A member is not valid, or a target names an unknown provider'),
  },
  handle: async (call) => {
    const { workspaceId } = call.principal!;
    const change = call.body as WorkspaceChange;
    // Model settings are changed first, because the llm-gateway may refuse them; in that case
    // nothing else must have changed.
    const changed = await changeSettings(settings, change, call);
    const policy = await changeMemory(memories, change, call);
    const workspace =
      change.name === undefined
        ? await workspaces.get(workspaceId)
        : await workspaces.rename(workspaceId, change.name);
    return { status: 200, json: encodeWorkspace(workspace, { settings: changed, policy }) };
  },
});

type TargetList = { targets: { provider: string; model: string; weight?: number }[] };
type WorkspaceChange = {
  name?: string;
  aliases?: Record<string, TargetList>;
  router?: { full?: TargetList; cheap?: TargetList };
  privacy?: PrivacyChange;
  memory?: { globalWrites?: boolean };
};
type Term = { text: string; category: string };
type Pattern = { pattern: string; category: string };
type PrivacyChange = { categories?: string[]; terms?: Term[]; patterns?: Pattern[] };

const changeSettings = async (
  settings: WorkspaceDeps['settings'],
  { aliases, router, privacy }: WorkspaceChange,
  call: RouteCall,
): Promise<ModelSettings> => {
  if (!aliases && !router && !privacy) {
    const response = await settings.getModelSettings({}, optionsOf(call));
    return response.settings!;
  }
  const members = [
    ...(aliases ? ['aliases'] : []),
    ...(router ? ['full', 'cheap'] : []),
    ...(privacy ? ['privacy'] : []),
  ];
  const modelSettings = {
    aliases: pickAliases(aliases ?? {}),
    full: pickList(router?.full),
    cheap: pickList(router?.cheap),
    ...(privacy ? { privacy: pickPrivacy(privacy) } : {}),
  };
  const changed = await settings.putModelSettings(
    { settings: modelSettings, members },
    optionsOf(call),
  );
  return changed.settings!;
};

const changeMemory = async (
  memories: WorkspaceDeps['memories'],
  { memory }: WorkspaceChange,
  call: RouteCall,
): Promise<MemoryPolicy> => {
  const response = memory
    ? await memories.setMemoryPolicy(
        { policy: { globalWrites: memory.globalWrites ?? true } },
        optionsOf(call),
      )
    : await memories.getMemoryPolicy({}, optionsOf(call));
  return response.policy!;
};

const pickAliases = (aliases: Record<string, TargetList>): Record<string, TargetList> =>
  Object.fromEntries(Object.entries(aliases).map(([name, list]) => [name, pickList(list)]));

/**
 * Returns only the known fields of a target list, because a protobuf message cannot carry others
 * that the client sent.
 */
const pickList = (list: TargetList = { targets: [] }): TargetList => ({
  targets: list.targets.map(({ provider, model, weight = 0 }) => ({ provider, model, weight })),
});

/**
 * Returns only the known fields of the privacy settings. Absent categories stay absent, because the
 * llm-gateway knows the default.
 */
const pickPrivacy = ({ categories, terms = [], patterns = [] }: PrivacyChange) => ({
  ...(categories ? { categories: { names: categories } } : {}),
  terms: terms.map(({ text, category }) => ({ text, category })),
  patterns: patterns.map(({ pattern, category }) => ({ pattern, category })),
});

const encodeWorkspace = (
  { id, name, createdAt }: Workspace,
  { settings, policy }: { settings: ModelSettings; policy: MemoryPolicy },
) => ({
  workspace: {
    id,
    name,
    createdAt: createdAt.toISOString(),
    aliases: Object.fromEntries(
      Object.entries(settings.aliases).map(([alias, list]) => [alias, encodeList(list)]),
    ),
    router: { full: encodeList(settings.full), cheap: encodeList(settings.cheap) },
    privacy: encodePrivacy(settings.privacy),
    memory: { globalWrites: policy.globalWrites },
  },
});

const encodeList = (list: ModelSettings['full']): TargetList => ({
  targets: (list?.targets ?? []).map(({ provider, model, weight }) => ({
    provider,
    model,
    ...(weight > 0 ? { weight } : {}),
  })),
});

const encodePrivacy = (privacy: ModelSettings['privacy']): Required<PrivacyChange> => ({
  categories: privacy?.categories?.names ?? [],
  terms: (privacy?.terms ?? []).map(({ text, category }) => ({ text, category })),
  patterns: (privacy?.patterns ?? []).map(({ pattern, category }) => ({ pattern, category })),
});
