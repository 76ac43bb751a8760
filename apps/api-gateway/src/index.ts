export { loadConfig } from './config.ts';
export type { Config } from './config.ts';
export { createService } from './service.ts';
export { isScope } from './domain/key/scope.ts';
export { openStorage } from './storage/open-storage.ts';
export {
  createKey,
  createWorkspace,
  findKey,
  findWorkspaceOwner,
  listKeys,
  revokeKey,
} from './storage/key-store.ts';
export type { KeySummary } from './storage/key-store.ts';
export { parseApiKey } from './domain/key/api-key.ts';
