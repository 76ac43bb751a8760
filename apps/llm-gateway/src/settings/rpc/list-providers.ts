import type { SettingsService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { WorkspaceSettings } from '../workspace-settings.ts';
import { toProvidersMessage } from './to-providers-message.ts';

export const createListProviders =
  (settings: WorkspaceSettings): Handlers<typeof SettingsService>['listProviders'] =>
  async (_request, { workspaceId }) =>
    toProvidersMessage(await settings.listProviders(workspaceId));
