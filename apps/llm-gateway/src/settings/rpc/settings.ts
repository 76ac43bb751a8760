import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  ModelSettings as SettingsMessage,
  ModelSettingsSchema,
  WorkspaceProviderSchema,
} from '@witan/contracts';
import type { SettingsService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { PrivacyInput } from '../../masking/privacy-settings.ts';
import type { Target } from '../../provider/provider.ts';
import type { ModelSettings } from '../../provider/workspace-models.ts';
import type { ProviderList, SettingsChange, WorkspaceSettings } from '../workspace-settings.ts';

export const createSettingsHandlers = (
  settings: WorkspaceSettings,
): Handlers<typeof SettingsService> => ({
  getModelSettings: async (_request, { workspaceId }) => ({
    settings: toSettingsMessage(await settings.getSettings(workspaceId)),
  }),
  putModelSettings: async ({ settings: message, members }, { workspaceId }) => {
    const requestedSettings = Object.entries(fromSettingsMessage(message));
    // Clients of older releases do not know `privacy`; its absence must not disable masking.
    const isPresent = (name: string): boolean =>
      name !== 'privacy' || message?.privacy !== undefined;
    const isReplaced = (name: string): boolean =>
      members.length === 0 ? isPresent(name) : members.includes(name);
    const change = Object.fromEntries(requestedSettings.filter(([name]) => isReplaced(name)));
    return { settings: toSettingsMessage(await settings.putSettings(workspaceId, change)) };
  },
  listProviders: async (_request, { workspaceId }) =>
    toProvidersMessage(await settings.listProviders(workspaceId)),
  putProviders: async ({ providers }, { workspaceId }) =>
    toProvidersMessage(await settings.putProviders(workspaceId, providers)),
});

type ProvidersMessage = {
  providers: MessageInitShape<typeof WorkspaceProviderSchema>[];
  operatorProviders: string[];
};

const toProvidersMessage = ({ providers, operatorProviders }: ProviderList): ProvidersMessage => ({
  providers: providers.map(({ name, dialect, baseUrl, keyPreview, updatedAt }) => ({
    name,
    dialect,
    baseUrl,
    keyPreview,
    updatedAt: BigInt(updatedAt.getTime()),
  })),
  operatorProviders: [...operatorProviders],
});

const toSettingsMessage = ({
  aliases,
  full,
  cheap,
  privacy,
}: ModelSettings): MessageInitShape<typeof ModelSettingsSchema> => ({
  aliases: Object.fromEntries(
    [...aliases].map(([name, targets]) => [name, { targets: [...targets] }]),
  ),
  full: { targets: [...full] },
  cheap: { targets: [...cheap] },
  privacy: {
    categories: { names: [...privacy.categories] },
    terms: [...privacy.terms],
    patterns: [...privacy.patterns],
  },
});

/**
 * Returns all settings of a message; absent lists become empty, except for the categories, which
 * stay undefined.
 */
const fromSettingsMessage = (message: SettingsMessage | undefined): Required<SettingsChange> => ({
  aliases: new Map(
    Object.entries(message?.aliases ?? {}).map(([name, list]) => [name, toTargets(list)]),
  ),
  full: toTargets(message?.full),
  cheap: toTargets(message?.cheap),
  privacy: toPrivacyInput(message?.privacy),
});

const toTargets = (list: SettingsMessage['full']): Target[] =>
  (list?.targets ?? []).map(({ provider, model, weight }) => ({ provider, model, weight }));

const toPrivacyInput = (privacy: SettingsMessage['privacy']): PrivacyInput => ({
  categories: privacy?.categories?.names,
  terms: (privacy?.terms ?? []).map(({ text, category }) => ({ text, category })),
  patterns: (privacy?.patterns ?? []).map(({ pattern, category }) => ({ pattern, category })),
});
