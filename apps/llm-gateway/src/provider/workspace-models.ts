import type { DialectName } from '@witan/dialects';
import { DEFAULT_PRIVACY } from '../masking/privacy-settings.ts';
import type { PrivacySettings } from '../masking/privacy-settings.ts';
import type { Target } from './provider.ts';

export type ModelSettings = {
  /** Targets of each alias, at least one, in order of preference. */
  aliases: ReadonlyMap<string, readonly Target[]>;
  /** Targets for service-agent and complex requests; if empty, the operator's are used. */
  full: readonly Target[];
  /** Targets for simple requests; if empty, the operator's are used. */
  cheap: readonly Target[];
  privacy: PrivacySettings;
};

export type WorkspaceModels = ModelSettings & {
  /** The workspace's own providers by name; they override operator providers of the same name. */
  providers: ReadonlyMap<string, WorkspaceProvider>;
};

export type WorkspaceProvider = {
  name: string;
  /** Dialects of conversations that the provider speaks, the main one first. */
  dialects: readonly DialectName[];
  baseUrl: string;
  apiKey: string;
  /** Changes whenever the provider changes; a later version sorts after an earlier one. */
  version: string;
};

export const NO_SETTINGS: ModelSettings = {
  aliases: new Map(),
  full: [],
  cheap: [],
  privacy: DEFAULT_PRIVACY,
};
