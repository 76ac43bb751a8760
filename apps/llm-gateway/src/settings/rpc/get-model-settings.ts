import type { SettingsService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { WorkspaceSettings } from '../workspace-settings.ts';
import { toSettingsMessage } from './to-settings-message.ts';

export const createGetModelSettings =
  (settings: WorkspaceSettings): Handlers<typeof SettingsService>['getModelSettings'] =>
  async (_request, { workspaceId }) => ({
    settings: toSettingsMessage(await settings.getSettings(workspaceId)),
  });
