import type { SettingsService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { WorkspaceSettings } from '../domain/settings/workspace-settings.ts';
import { fromSettingsMessage, toSettingsMessage } from './to-settings-message.ts';

/** Replaces members of what the calling workspace has decided about its models. */
export const createPutModelSettings =
  (settings: WorkspaceSettings): Handlers<typeof SettingsService>['putModelSettings'] =>
  async ({ settings: message, members }, { workspaceId }) => {
    const wanted = Object.entries(fromSettingsMessage(message));
    // A caller of the release before privacy means all that it knew: it unmasks nothing.
    const isMeant = (name: string): boolean => name !== 'privacy' || message?.privacy !== undefined;
    const isWanted = (name: string): boolean =>
      members.length === 0 ? isMeant(name) : members.includes(name);
    const change = Object.fromEntries(wanted.filter(([name]) => isWanted(name)));
    return { settings: toSettingsMessage(await settings.putSettings(workspaceId, change)) };
  };
