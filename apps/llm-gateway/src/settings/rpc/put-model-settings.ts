import type { SettingsService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { WorkspaceSettings } from '../workspace-settings.ts';
import { fromSettingsMessage, toSettingsMessage } from './to-settings-message.ts';

export const createPutModelSettings =
  (settings: WorkspaceSettings): Handlers<typeof SettingsService>['putModelSettings'] =>
  async ({ settings: message, members }, { workspaceId }) => {
    const requestedSettings = Object.entries(fromSettingsMessage(message));
    // Clients of older releases do not know `privacy`; its absence must not disable masking.
    const isPresent = (name: string): boolean =>
      name !== 'privacy' || message?.privacy !== undefined;
    const isReplaced = (name: string): boolean =>
      members.length === 0 ? isPresent(name) : members.includes(name);
    const change = Object.fromEntries(requestedSettings.filter(([name]) => isReplaced(name)));
    return { settings: toSettingsMessage(await settings.putSettings(workspaceId, change)) };
  };
