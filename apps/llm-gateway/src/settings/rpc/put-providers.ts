import type { SettingsService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { WorkspaceSettings } from '../workspace-settings.ts';
import { toProvidersMessage } from './to-providers-message.ts';

export const createPutProviders =
  (settings: WorkspaceSettings): Handlers<typeof SettingsService>['putProviders'] =>
  async ({ providers }, { workspaceId }) =>
    toProvidersMessage(await settings.putProviders(workspaceId, providers));
