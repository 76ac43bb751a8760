import type { SettingsService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { WorkspaceSettings } from '../domain/settings/workspace-settings.ts';
import { toProvidersMessage } from './to-providers-message.ts';

/** Answers the calling workspace's own providers, without their keys, and the operator's names. */
export const createListProviders =
  (settings: WorkspaceSettings): Handlers<typeof SettingsService>['listProviders'] =>
  async (_request, { workspaceId }) =>
    toProvidersMessage(await settings.listProviders(workspaceId));
