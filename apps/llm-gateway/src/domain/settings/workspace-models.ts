import type { DialectName } from '@witan/dialects';
import { DEFAULT_PRIVACY } from '../privacy/privacy-settings.ts';
import type { PrivacySettings } from '../privacy/privacy-settings.ts';
import type { Target } from '../route/target.ts';

/** A workspace's model settings. */
export type ModelSettings = {
  /** Aliases for models; each list has at least one target, in order of preference. */
  aliases: ReadonlyMap<string, readonly Target[]>;
  /** For service-agent and complex requests; empty: the operator's. */
  full: readonly Target[];
  /** For simple requests; empty: the operator's. */
  cheap: readonly Target[];
  /** What is masked before anything leaves. */
  privacy: PrivacySettings;
};

/** Everything that routing and sending a workspace's calls needs. */
export type WorkspaceModels = ModelSettings & {
  /** The workspace's own providers by name; they override operator providers of the same name. */
  providers: ReadonlyMap<string, WorkspaceProvider>;
};

/** A workspace's own provider with its decrypted key, which is never shown. */
export type WorkspaceProvider = {
  name: string;
  dialect: DialectName;
  /** Normalized, in the form of the dialect's official SDK. */
  baseUrl: string;
  apiKey: string;
  /** Changes whenever the provider changes. */
  version: string;
};

/** The settings of a new workspace. */
export const NO_SETTINGS: ModelSettings = {
  aliases: new Map(),
  full: [],
  cheap: [],
  privacy: DEFAULT_PRIVACY,
};
