import type { MessageInitShape } from '@bufbuild/protobuf';
import type { WorkspaceProviderSchema } from '@witan/contracts';
import type { ProviderList } from '../workspace-settings.ts';

export type ProvidersMessage = {
  providers: MessageInitShape<typeof WorkspaceProviderSchema>[];
  operatorProviders: string[];
};

export const toProvidersMessage = ({
  providers,
  operatorProviders,
}: ProviderList): ProvidersMessage => ({
  providers: providers.map(({ name, dialect, baseUrl, keyPreview, updatedAt }) => ({
    name,
    dialect,
    baseUrl,
    keyPreview,
    updatedAt: BigInt(updatedAt.getTime()),
  })),
  operatorProviders: [...operatorProviders],
});
