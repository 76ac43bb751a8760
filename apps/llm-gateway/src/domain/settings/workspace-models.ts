import type { DialectName } from '@witan/dialects';
import { DEFAULT_PRIVACY } from '../privacy/privacy-settings.ts';
import type { PrivacySettings } from '../privacy/privacy-settings.ts';
import type { Target } from '../route/target.ts';

/** What a workspace has decided about its models: who answers which name. */
export type ModelSettings = {
  /** Own names for models; each list holds at least one target, best first. */
  aliases: ReadonlyMap<string, readonly Target[]>;
  /** Behind service-agent and complex asks; empty: the operator's. */
  full: readonly Target[];
  /** Behind simple asks; empty: the operator's. */
  cheap: readonly Target[];
  /** What is masked before anything leaves. */
  privacy: PrivacySettings;
};

/** Everything that a call of a workspace is routed and sent by. */
export type WorkspaceModels = ModelSettings & {
  /** The workspace's own providers by name; one named as an operator's takes its place. */
  providers: ReadonlyMap<string, WorkspaceProvider>;
};

/** A model provider that a workspace brought, with its key: for calling it, never for showing. */
export type WorkspaceProvider = {
  name: string;
  dialect: DialectName;
  /** Normalised, as the official SDK of the dialect takes it. */
  baseUrl: string;
  apiKey: string;
  /** Another one whenever anything of the provider changes. */
  version: string;
};

/** A workspace that has decided nothing. */
export const NO_SETTINGS: ModelSettings = {
  aliases: new Map(),
  full: [],
  cheap: [],
  privacy: DEFAULT_PRIVACY,
};
