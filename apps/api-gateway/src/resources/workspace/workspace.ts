import type { MemoryPolicy, ModelSettings } from '@witan/contracts';
import type { MemoryService, SettingsService } from '@witan/contracts/services';
import type { CallOptions, Client } from '@witan/service-kit';
import type { AuditEntry, RecordAudit } from '../../audit/audit.ts';
import type { Principal } from '../../auth/authenticate.ts';
import type { Workspace, Workspaces } from '../../auth/keys.ts';
import type { Route } from '../../http/route.ts';
import { nativeRoutes } from '../native-routes.ts';
import { runAudited } from '../run-audited.ts';
import { WORKSPACE, WORKSPACE_CHANGE } from './workspace-schema.ts';

type WorkspaceDeps = {
  workspaces: Workspaces;
  settings: Client<typeof SettingsService>;
  memories: Pick<Client<typeof MemoryService>, 'getMemoryPolicy' | 'setMemoryPolicy'>;
  recordAudit: RecordAudit;
};

const { handled } = nativeRoutes('Workspace', 'gateway');

export const workspaceRoutes = ({
  settings,
  memories,
  workspaces,
  recordAudit,
}: WorkspaceDeps): Route[] => [
  handled('get', '/v1/workspace', {
    id: 'getWorkspace',
    summary:
      "The key's workspace: name, names for models, what is behind the router, privacy, memory",
    responses: { 200: { description: 'The workspace', schema: WORKSPACE } },
    handle: async ({ call, options }) => {
      const [workspace, model, memory] = await Promise.all([
        workspaces.get(call.principal!.workspaceId),
        settings.getModelSettings({}, options),
        memories.getMemoryPolicy({}, options),
      ]);
      const parts = { settings: model.settings!, policy: memory.policy! };
      return { status: 200, json: encodeWorkspace(workspace, parts) };
    },
  }),
  handled('put', '/v1/workspace', {
    id: 'putWorkspace',
    summary: 'Replace members of the workspace; those that are absent stay',
    scopes: ['keys'],
    body: WORKSPACE_CHANGE,
    responses: { 200: { description: 'The workspace as it is now', schema: WORKSPACE } },
    errors: { 400: 'A member is not valid, or a target names an unknown provider' },
    handle: async ({ call }) => {
      const { workspaceId } = call.principal!;
      const change = call.body as WorkspaceChange;
      const entries = toEntries(call.principal!, change);
      const json = await runAudited(call, { entries, recordAudit }, async (options) => {
        // Model settings are changed first, because the llm-gateway may refuse them; in that case
        // nothing else must have changed.
        const changed = await changeSettings(settings, change, options);
        const policy = await changeMemory(memories, change, options);
        const workspace = await workspaces.change(workspaceId, toOwnChange(change));
        return encodeWorkspace(workspace, { settings: changed, policy });
      });
      return { status: 200, json };
    },
  }),
];

type TargetList = { targets: { provider: string; model: string; weight?: number }[] };
type WorkspaceChange = {
  name?: string;
  aliases?: Record<string, TargetList>;
  router?: { full?: TargetList; cheap?: TargetList };
  privacy?: PrivacyChange;
  memory?: { globalWrites?: boolean };
  responses?: { storing?: boolean };
};
type Term = { text: string; category: string };
type Pattern = { pattern: string; category: string };
type PrivacyChange = { categories?: string[]; terms?: Term[]; patterns?: Pattern[] };

/**
 * Returns the audit entries of a change, with the names of the members that it sets. Privacy has an
 * action of its own, because it decides what providers receive.
 */
const toEntries = (
  { workspaceId, keyId: actor }: Principal,
  { privacy, ...change }: WorkspaceChange,
): AuditEntry[] => {
  const entry = { workspaceId, subject: workspaceId, actor };
  const members = [
    ...(change.name === undefined ? [] : ['name']),
    ...(change.aliases ? ['aliases'] : []),
    ...namesOf('router', change.router),
    ...namesOf('memory', change.memory),
    ...namesOf('responses', change.responses),
  ];
  return [
    ...(privacy
      ? [
          {
            ...entry,
            action: 'workspace.privacy_changed' as const,
            detail: namesOf('privacy', privacy).join(', '),
          },
        ]
      : []),
    ...(members.length > 0
      ? [{ ...entry, action: 'workspace.changed' as const, detail: members.join(', ') }]
      : []),
  ];
};

/** Returns the names of the known members; an empty object puts the defaults of all back. */
const namesOf = (parent: keyof typeof MEMBERS, change: object | undefined): string[] => {
  if (!change) return [];
  const names = MEMBERS[parent].filter((name) => Object.hasOwn(change, name));
  return names.length === 0 ? [`${parent} (defaults)`] : names.map((name) => `${parent}.${name}`);
};

const MEMBERS = {
  router: ['full', 'cheap'],
  privacy: ['categories', 'terms', 'patterns'],
  memory: ['globalWrites'],
  responses: ['storing'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const toOwnChange = ({ name, responses }: WorkspaceChange) => ({
  ...(name === undefined ? {} : { name }),
  ...(responses ? { storesResponses: responses.storing ?? true } : {}),
});

const changeSettings = async (
  settings: WorkspaceDeps['settings'],
  { aliases, router, privacy }: WorkspaceChange,
  options: CallOptions,
): Promise<ModelSettings> => {
  if (!aliases && !router && !privacy) {
    const response = await settings.getModelSettings({}, options);
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
  const changed = await settings.putModelSettings({ settings: modelSettings, members }, options);
  return changed.settings!;
};

const changeMemory = async (
  memories: WorkspaceDeps['memories'],
  { memory }: WorkspaceChange,
  options: CallOptions,
): Promise<MemoryPolicy> => {
  const response = memory
    ? await memories.setMemoryPolicy(
        { policy: { globalWrites: memory.globalWrites ?? true } },
        options,
      )
    : await memories.getMemoryPolicy({}, options);
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
  { id, name, createdAt, storesResponses }: Workspace,
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
    responses: { storing: storesResponses },
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
